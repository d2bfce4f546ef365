import { respond } from './transitions.ts';
import type { Cue, Phrase, TurnMemory, TurnStep, UserTurn } from './turn-types.ts';

/** Consecutive errors after which the call ends. */
const MAX_FAILURES = 3;

/** A stock phrase, or nothing for a phone menu. */
export function phraseCue({ menu }: TurnMemory, phrase: Phrase): Cue {
  return menu ? { kind: 'words', text: '' } : { kind: 'phrase', phrase };
}

/** Apologizes, or ends the call after MAX_FAILURES consecutive errors. */
export function apologize(
  memory: TurnMemory,
  phrase: 'not_understood' | 'trouble',
  user: UserTurn | null,
): TurnStep {
  const failures = memory.failures + 1;
  const counted = { ...memory, failures };
  if (failures < MAX_FAILURES) {
    return respond(counted, phraseCue(memory, phrase), { apology: true, user });
  }
  return respond(counted, phraseCue(memory, 'giving_up'), {
    apology: true,
    interruptible: false,
    thenEnd: { reason: 'system_error' },
    user,
  });
}
