import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

/** The page of a run as one HTML file, in `dist/pages/report`. */
export default defineConfig({
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [viteSingleFile()],
  build: {
    outDir: '../../dist/pages/report',
    emptyOutDir: true,
    target: 'es2022',
    // Strategies' names come from the data, not from the build: nothing else depends on the machine.
    reportCompressedSize: false,
  },
});
