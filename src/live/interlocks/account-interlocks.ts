import { fail, judged, pass, REAL, type Interlock } from './interlock.js';

/** The words of consent. They name the account, so that a copied file does not carry them over. */
export const acknowledgementOf = (account: string): string => `real money on ${account}`;

const acknowledgement: Interlock = {
  id: 'acknowledgement',
  severity: 'hard',
  modes: ['live'],
  reads: 'machine',
  entriesOnly: true,
  requires: '`live.acknowledgement` says `real money on ACCOUNT`',
  mend: 'add to CONFIG: live: { acknowledgement: real money on ACCOUNT }; or run it with --observe, which sends nothing',
  judge({ config: { account, acknowledgement: given } }) {
    const expected = acknowledgementOf(account);
    if (given === expected) return pass(expected);
    return given === undefined
      ? fail('the configuration does not acknowledge that real money is traded')
      : fail(`live.acknowledgement says "${given}", not "${expected}"`);
  },
};

const apiKey: Interlock = {
  id: 'api_key',
  severity: 'hard',
  modes: [...REAL, 'sandbox'],
  reads: 'venue',
  requires: 'the venue answers, and accepts the key',
  mend: 'see that the venue can be reached, and put the secret of a valid key into SECRET_FILE',
  judge: ({ venue }) => judged(venue?.account, () => pass('the wallet was read')),
};

const accountFingerprint: Interlock = {
  id: 'account_fingerprint',
  severity: 'hard',
  modes: REAL,
  reads: 'venue',
  requires:
    'the key belongs to the account of the state folder. The first start learns it: from the key, and from the ids of orders and transfers. A rotated key is recognized by those ids',
  mend: 'use the key of the old account, or a state_dir of its own for this one. If it is the same account: sluice doctor CONFIG --accept-account',
  judge: ({ venue }) =>
    judged(venue?.fingerprint, (match) => {
      switch (match) {
        case 'first':
          return pass('a new state: this start learns the account');
        case 'same-key':
          return pass('the key of the last start');
        case 'same-account':
          return pass('another key of the same account');
        case 'unlearned':
          return fail('the state has a journal, but no fingerprint of its account');
        case 'unproved':
          return fail(
            'the key has changed, and the account has no order or transfer to recognize it by',
          );
        case 'other-account':
          return fail(
            'the key belongs to another account: it has none of the known orders and transfers',
          );
      }
    }),
};

export const ACCOUNT_INTERLOCKS: readonly Interlock[] = [
  acknowledgement,
  apiKey,
  accountFingerprint,
];
