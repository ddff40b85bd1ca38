import type { Mutant } from './mutant.js';

const OUTBOX = 'src/engine/outbox.ts';
const LOG = 'src/execution/framed-log.ts';
const CONTENTS = 'src/execution/log-contents.ts';
const FRAME = 'src/execution/log-frame.ts';
const LOCK = 'src/execution/state-lock.ts';

/** What is durable before bytes leave, and what a start believes of its own disk. */
export const JOURNAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'bytes leave while the journal is being written',
    file: OUTBOX,
    from: 'if (durable === undefined || this.#broken !== undefined) sendAll();',
    to: 'if (durable !== null) sendAll();',
    hazard: 'J7, K11',
  },
  {
    name: 'bytes leave where the journal could not be written',
    file: OUTBOX,
    from: '    if (this.#broken !== undefined && !isSafeToRepeat(request)) return NOT_JOURNALED;\n',
    to: '',
    hazard: 'K1, K3',
  },
  {
    name: 'what waited for the disk leaves however late it is',
    file: OUTBOX,
    from: 'return this.#isLate(request) ? TOO_LATE : undefined;',
    to: 'return undefined;',
    hazard: 'J1',
  },
  {
    name: 'skip fdatasync',
    file: LOG,
    from: '    await this.#file.append(bytes);\n    await this.#file.sync();\n',
    to: '    await this.#file.append(bytes);\n',
    hazard: 'K3, K4',
  },
  {
    name: 'durable is promised before it is',
    file: LOG,
    from: '    await this.#file.append(bytes);\n    await this.#file.sync();\n    const generation',
    to: '    void this.#file.append(bytes);\n    const generation',
    hazard: 'K4, K11',
  },
  {
    name: 'a failed sync is tried again',
    file: LOG,
    from: '      this.#failure = new LogWriteError(this.#paths.log, error);\n      throw this.#failure;',
    to: '      await this.#file.sync().catch(() => undefined);',
    hazard: 'K1, K3',
  },
  {
    name: 'a checksum is decoration',
    file: FRAME,
    from: "  if (view.getUint32(start + 4, true) !== frameCrc(bytes)) return 'its checksum does not match';\n",
    to: '',
    hazard: 'K5',
  },
  {
    name: 'the journal is cut where it cannot be read',
    file: CONTENTS,
    from: '  if (fault !== undefined) {\n    throw new LogCorruptError({ path: paths.log, ...fault, paths, position });\n  }\n',
    to: '  if (fault !== undefined) return { payloads, base: undefined, end };\n',
    hazard: 'K5',
  },
  {
    name: 'nobody compares the journal with what was promised',
    file: CONTENTS,
    from: 'position: fresh ?? head?.position ?? GENESIS };',
    to: 'position: GENESIS };',
    hazard: 'K4, K5',
  },
  {
    name: 'two daemons may share a state folder',
    file: LOCK,
    from: 'if (await isAlive(taker.processes, found)) throw heldBy(found, path);',
    to: '',
    hazard: 'J12',
  },
];
