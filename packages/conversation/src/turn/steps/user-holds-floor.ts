import { stay } from '../transitions.ts';
import type { TurnEvent, TurnState, TurnStep } from '../turn-types.ts';
import { advanceUser, hearTranscript, overdueTimer, settleUser } from '../user-turn.ts';
import { prepend } from '../transitions.ts';

type UserHoldsFloor = TurnState & { kind: 'userSpeaking' | 'endpointing' };

export function stepUserHoldsFloor(state: UserHoldsFloor, event: TurnEvent): TurnStep {
  const { memory, user } = state;
  switch (event.type) {
    case 'speech': {
      const advanced = advanceUser(user, event.edge);
      return prepend(
        [...advanced.effects, ...overdueTimer(advanced.user, event.edge)],
        settleUser(memory, advanced.user),
      );
    }
    case 'transcribed':
    case 'transcription_failed': {
      const heard = hearTranscript(user, event);
      return heard ? settleUser(memory, heard) : stay(state);
    }
    case 'timer_fired':
      if (event.timer !== 'opening' || !memory.opening) return stay(state);
      return stay({ ...state, memory: { ...memory, opening: { ...memory.opening, due: true } } });
    default:
      return stay(state);
  }
}
