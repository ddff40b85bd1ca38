import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of this package: three levels above `src/io/node`, four above `dist/src/io/node`. */
export function packageRoot(): string {
  const up = ['../../../', '../../../../'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return up.find((folder) => existsSync(`${folder}package.json`)) ?? (up[0] as string);
}
