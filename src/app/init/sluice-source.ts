import { basename, join, relative, resolve } from 'node:path';
import { projectFiles } from './project-files.js';

interface InstalledPackage {
  readonly resolved?: string;
}

/**
 * What a new project's package.json says of Sluice: where this one came from. A packed file or a
 * checkout is named by its path from the project, what came from a registry by its version.
 * @param root of this package
 */
export async function sluiceDependency(
  root: string,
  version: string,
  project: string,
): Promise<string> {
  const modules = resolve(root, '..');
  if (basename(modules) !== 'node_modules') return `file:${relative(project, root)}`;
  const text = await projectFiles.readIfThere(join(modules, '.package-lock.json'));
  if (text === undefined) return version;
  const { packages = {} } = JSON.parse(text) as {
    readonly packages?: Readonly<Record<string, InstalledPackage>>;
  };
  const from = packages['node_modules/sluice']?.resolved;
  if (from?.startsWith('file:') !== true) return version;
  return `file:${relative(project, resolve(modules, '..', from.slice('file:'.length)))}`;
}
