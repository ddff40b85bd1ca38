import { EXIT } from '../../../core/exit-code.js';
import { oneLine } from '../../../core/terminal-text.js';
import { createNodeNet, type NodeNet } from '../../../io/net/node-net.js';
import { createLogger } from '../../../live/log/logger.js';
import { DownloadLine } from '../../../tools/download/download-line.js';
import {
  downloadFaults,
  downloadJson,
  downloadText,
  runDownload,
} from '../../../tools/download/run-download.js';
import { usesColour, type Io } from '../../command-io.js';
import { printJson } from '../account/print.js';
import type { DataDownloadOptions } from './download-options.js';
import { openCatalog } from './open-catalog.js';

/** Runs `sluice data download`. @returns 1 when it was stopped, or when the venue has no candles of a symbol */
export async function dataDownloadCommand(
  options: DataDownloadOptions,
  io: Io,
  givenNet?: NodeNet,
): Promise<number> {
  const catalog = openCatalog(options, io);
  const net = givenNet ?? createNodeNet();
  const logger = await createLogger({
    level: options.debug ? 'debug' : 'error',
    write: io.stderr,
    pretty: io.isTerminal,
    colour: usesColour(io),
    secrets: [],
    stacks: options.debug,
  });
  const progress = new DownloadLine(io);
  const tell = (text: string): void => {
    progress.clear();
    io.stderr(`sluice: ${oneLine(text)}\n`);
  };
  try {
    const result = await runDownload(
      options,
      catalog,
      { ...io, net, logger },
      {
        onProgress: (at) => {
          progress.show(at);
        },
        onNote: tell,
        onStop: (stop) => io.onSignal(stop),
      },
    );
    progress.clear();
    if (options.json) printJson(io, downloadJson(result, catalog));
    else io.stdout(`${oneLine(downloadText(result, options, catalog))}\n`);
    const faults = downloadFaults(result);
    for (const fault of faults) tell(fault);
    return faults.length === 0 ? EXIT.done : EXIT.failed;
  } finally {
    progress.clear();
    await net.close();
  }
}
