import type { FileAccess } from '../../core/host-facts.js';
import { SECRET_VARIABLE } from '../../core/secret-variable.js';
import {
  EVERY,
  fail,
  judged,
  pass,
  REAL,
  type Interlock,
  type InterlockVerdict,
} from './interlock.js';
import type { MachineFacts } from './start-facts.js';

const OTHERS_ACCESS = 0o077;

const secretCustody: Interlock = {
  id: 'secret_custody',
  severity: 'hard',
  modes: EVERY,
  reads: 'machine',
  requires:
    'the secret is in a regular file of this user, mode 0600, and neither in the configuration nor on the command line',
  mend: '(umask 077; cat > SECRET_FILE) and paste the secret; name the file in CONFIG as venue.api_secret_file',
  judge({ config, machine }) {
    const { secret } = machine;
    // The secret of a sandbox protects nothing: documents and examples contain it.
    const isReal = REAL.includes(config.mode);
    if (isReal && secret.isInConfig)
      return fail(
        'the text of the configuration contains the secret, and each session records that text',
        'take the secret out of CONFIG, and rotate the key: the record of earlier sessions may hold it',
      );
    if (isReal && secret.isInArguments)
      return fail(
        'the command line contains the secret, and every user of the machine can read it',
        'leave the secret off the command line, and rotate the key',
      );
    if (secret.file !== undefined) return fileVerdict(secret.file, machine);
    if (config.venue.endpoint.kind === 'embedded') return pass('the sandbox makes its own secret');
    if (secret.isInEnvironment) return pass(`${SECRET_VARIABLE} holds it`);
    return config.mode === 'paper'
      ? pass('a paper run needs none')
      : fail('no secret is configured');
  },
};

function fileVerdict(
  { path, access }: NonNullable<MachineFacts['secret']['file']>,
  { userId }: MachineFacts,
): InterlockVerdict {
  return judged(access, (found) => {
    if (found === undefined) return fail(`there is no file ${path}`);
    const problem = accessProblem(found, userId);
    return problem === undefined
      ? pass(`${path}, mode 0600`)
      : fail(`${path} ${problem.found}`, problem.mend);
  });
}

function accessProblem(
  { kind, owner, permissions }: FileAccess,
  userId: number | undefined,
): { readonly found: string; readonly mend: string } | undefined {
  if (kind === 'link')
    return {
      found: 'is a symbolic link',
      mend: 'name the file itself in CONFIG (venue.api_secret_file)',
    };
  if (kind !== 'file')
    return { found: 'is not a regular file', mend: 'put the secret into a regular file' };
  if (userId !== undefined && owner !== userId)
    return {
      found: `belongs to user ${owner}, and the bot runs as user ${userId}`,
      mend: `chown ${userId} SECRET_FILE`,
    };
  if ((permissions & OTHERS_ACCESS) !== 0)
    return {
      found: `has mode 0${permissions.toString(8)}: others may use it`,
      mend: 'chmod 600 SECRET_FILE',
    };
  return undefined;
}

const secretEnvironment: Interlock = {
  id: 'secret_environment',
  severity: 'soft',
  modes: REAL,
  reads: 'machine',
  requires: 'the secret comes from a file, not from the environment',
  mend: `put the secret into a file of mode 0600, name it as venue.api_secret_file, and unset ${SECRET_VARIABLE}`,
  judge: ({ machine: { secret } }) =>
    secret.isInEnvironment
      ? fail(
          `${SECRET_VARIABLE} is in the environment, where other processes of this user can read it`,
        )
      : pass('not in the environment'),
};

export const SECRET_INTERLOCKS: readonly Interlock[] = [secretCustody, secretEnvironment];
