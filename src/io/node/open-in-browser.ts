import { spawn } from 'node:child_process';

/** Real ms in which a program that opens files reports its failure. */
const FAILURE_MS = 1_500;

interface Opener {
  readonly program: string;
  readonly args: readonly string[];
}

/** The program of the system that opens a file; undefined: there is no screen. */
function openerOf(path: string): Opener | undefined {
  const { platform, env } = process;
  if (platform === 'darwin') return { program: 'open', args: [path] };
  if (platform === 'win32') return { program: 'explorer.exe', args: [path] };
  const hasScreen = env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
  return hasScreen ? { program: 'xdg-open', args: [path] } : undefined;
}

/**
 * Opens a file with the program of the system, usually the browser, and does not wait for its end.
 * @returns the reason why it did not open, or undefined
 */
export function openInBrowser(path: string): Promise<string | undefined> {
  const opener = openerOf(path);
  if (opener === undefined) return Promise.resolve('this machine has no screen');
  const { program, args } = opener;
  return new Promise((resolve) => {
    const child = spawn(program, [...args], { detached: true, stdio: 'ignore' });
    const timer = setTimeout(() => {
      resolve(undefined);
    }, FAILURE_MS);
    const end = (problem: string | undefined): void => {
      clearTimeout(timer);
      resolve(problem);
    };
    child.once('error', () => {
      end(`${program} cannot be started`);
    });
    child.once('exit', (code) => {
      // explorer.exe ends with 1 although it opened the file.
      end(code === 0 || process.platform === 'win32' ? undefined : `${program} ended with ${code}`);
    });
    child.unref();
  });
}
