import { expect, it } from 'vitest';
import { MemoryFiles } from '../../../test/support/fakes/memory-files.js';
import { memoryLogger } from '../../../test/support/fakes/manual-ports.js';
import { testInstrument } from '../../testing/instrument.js';
import { SavedInstruments } from './saved-instruments.js';

const PATH = 'state/instruments.json';
const btc = testInstrument({ symbol: 'BTCUSDT' });
const eth = testInstrument({ symbol: 'ETHUSDT' });

function rig() {
  const [files, logger] = [new MemoryFiles(), memoryLogger()];
  return { files, logger, saved: new SavedInstruments({ files, stateDir: 'state', logger }) };
}

it('saved instruments are read again, those of other symbols too', async () => {
  const { saved } = rig();
  expect(await saved.read(['ETHUSDT'])).toBeUndefined();
  await saved.save([eth]);
  await saved.save([btc]);
  expect(await saved.read(['ETHUSDT', 'BTCUSDT'])).toEqual([btc, eth]);
  expect(await saved.read(['BTCUSDT', 'SOLUSDT'])).toBeUndefined();
});

it('a file that no version wrote counts as none, and is replaced', async () => {
  const { files, logger, saved } = rig();
  files.put(PATH, new TextEncoder().encode('{"v":1,"instr'));
  expect(await saved.read(['BTCUSDT'])).toBeUndefined();
  expect(logger.lines.map(({ message }) => message)).toEqual([`${PATH} cannot be read`]);
  await saved.save([btc]);
  expect(await saved.read(['BTCUSDT'])).toEqual([btc]);
});

it('a file that cannot be written is logged, and the run goes on', async () => {
  const { files, logger, saved } = rig();
  files.replace = () => Promise.reject(new Error('ENOSPC'));
  await saved.save([btc]);
  expect(logger.lines.map(({ message }) => message)).toEqual([`${PATH} cannot be written`]);
});
