import { z } from 'zod';
import { StartError } from '../../core/command-errors.js';
import type { OperatorCommand } from '../../core/events.js';
import type { Files } from '../../core/ports.js';
import { command as commandSchema } from '../../execution/journal/command-schema.js';

/** Commands of a person for the next start, one JSON object a line. The start journals them and removes the file. */
export const PENDING_FILE = 'pending-commands.jsonl';

/** A command that waits for the next start. */
export interface PendingCommand {
  /** Its command id, so that it is carried out once. */
  readonly id: string;
  readonly command: OperatorCommand;
}

const pendingCommand = z.strictObject({ id: z.string().min(1), command: commandSchema });

export const pendingFileIn = (stateDir: string): string => `${stateDir}/${PENDING_FILE}`;

/** @throws StartError when a line is none of Sluice */
export async function readPendingCommands(
  files: Pick<Files, 'read'>,
  stateDir: string,
): Promise<readonly PendingCommand[]> {
  const path = pendingFileIn(stateDir);
  const bytes = await files.read(path);
  if (bytes === undefined) return [];
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [parseLine(line, `${path}:${index + 1}`)],
  );
}

/** Durable when it resolves. The caller holds the lock of the folder. @param utcMs of this machine */
export async function addPendingCommand(
  files: Files,
  stateDir: string,
  command: OperatorCommand,
  utcMs: number,
): Promise<void> {
  const standing = await readPendingCommands(files, stateDir);
  const all = [...standing, { id: `pending-${utcMs}-${standing.length}`, command }];
  const text = all.map((each) => `${JSON.stringify(z.encode(pendingCommand, each))}\n`).join('');
  await files.replace(pendingFileIn(stateDir), new TextEncoder().encode(text));
}

export const removePendingCommands = (files: Files, stateDir: string): Promise<void> =>
  files.remove(pendingFileIn(stateDir));

function parseLine(line: string, place: string): PendingCommand {
  try {
    return z.decode(
      pendingCommand,
      JSON.parse(line) as z.input<typeof pendingCommand>,
    ) as PendingCommand;
  } catch (error) {
    throw new StartError(
      `${place} is no command of Sluice: remove the line, then give the command again`,
      { cause: error },
    );
  }
}

/** Its effect at the next start, for people. */
export function pendingCommandText({ command }: PendingCommand): string {
  switch (command.kind) {
    case 'stop-strategy':
      return `stop strategy ${command.strategy}${command.close ? ' and close its positions' : ''}`;
    case 'pause-strategy': {
      const { strategy, until } = command;
      const end = until === undefined ? '`sluice resume`' : new Date(until).toISOString();
      return `pause strategy ${strategy} until ${end}`;
    }
    case 'start-strategy':
      return `start strategy ${command.strategy}`;
    case 'resume-strategy':
      return `end the pause of strategy ${command.strategy}`;
    case 'tighten':
      return `tighten ${Object.entries(command.limits)
        .map(([key, value]) => `${key}=${value}`)
        .join(' ')}`;
    case 'adopt':
      return `adopt the position of ${command.what}`;
    case 'resume':
      return `resume ${command.symbol ?? 'the account'}`;
    default:
      return command.kind;
  }
}
