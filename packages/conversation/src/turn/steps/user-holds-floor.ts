import { checkLongSpeech, settleChecked } from '../long-speech.ts';
import { prepend, stay } from '../transitions.ts';
import { applyAssessment, endHold } from '../turn-end.ts';
import type { TurnEvent, TurnState, TurnStep } from '../turn-types.ts';
import { advanceUser, applyInterim, applyTranscript, fillerTimer, settleUser } from '../user-turn.ts';

type UserHoldsFloor = TurnState & { kind: 'userSpeaking' | 'endpointing' };

export function stepUserHoldsFloor(state: UserHoldsFloor, event: TurnEvent): TurnStep {
  const { memory, user } = state;
  switch (event.type) {
    case 'speech': {
      const advanced = advanceUser(user, event.edge);
      return prepend(
        [...advanced.effects, ...fillerTimer(advanced.user, event.edge)],
        settleUser(memory, advanced.user),
      );
    }
    case 'words_heard': {
      const updated = applyInterim(user, event);
      return updated ? settleUser(memory, updated) : stay(state);
    }
    case 'transcribed':
    case 'transcription_failed': {
      const updated = applyTranscript(memory, user, event);
      return updated ? settleChecked(memory, updated) : stay(state);
    }
    case 'end_assessed': {
      const judged = applyAssessment(user, event);
      return judged ? prepend(judged.effects, settleUser(memory, judged.user)) : stay(state);
    }
    case 'timer_fired': {
      if (event.timer === 'hold') {
        const over = endHold(user);
        return over ? prepend(over.effects, settleUser(memory, over.user)) : stay(state);
      }
      if (event.timer === 'long_speech') return checkLongSpeech(state);
      if (event.timer !== 'opening' || !memory.opening) return stay(state);
      return stay({ ...state, memory: { ...memory, opening: { ...memory.opening, due: true } } });
    }
    default:
      return stay(state);
  }
}
