import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Why the checkout cannot be made ready; the message is for a person. */
export class PrepareError extends Error {
  constructor(message, exitCode) {
    super(message);
    this.name = 'PrepareError';
    this.exitCode = exitCode;
  }
}

/** One sentence when this Node is older than package.json's engines, else undefined. */
export function nodeProblem(root, version) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const least = /^>=(\d+)\.(\d+)/.exec(engines?.node ?? '');
  if (least === null) return undefined;
  const [major, minor] = version.split('.').map(Number);
  const [, leastMajor, leastMinor] = least.map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `Node ${leastMajor}.${leastMinor} or newer is needed, and this is Node ${version}`;
}
