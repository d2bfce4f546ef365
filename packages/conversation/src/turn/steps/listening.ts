import { newUserTurn, prepend, releaseFloor, respond, stay } from '../transitions.ts';
import type { TurnEvent, TurnState, TurnStep } from '../turn-types.ts';
import { settleUser } from '../user-turn.ts';

type Listening = TurnState & { kind: 'listening' };

export function stepListening(state: Listening, event: TurnEvent): TurnStep {
  const { memory } = state;
  switch (event.type) {
    case 'opened':
      return open(state, event);
    case 'speech': {
      if (event.edge !== 'speech_started') return stay(state);
      const begun = newUserTurn(memory, 'silence');
      return prepend(begun.effects, settleUser(begun.memory, begun.user));
    }
    case 'timer_fired': {
      if (event.timer !== 'opening' || !memory.opening) return stay(state);
      const { cue, interruptible } = memory.opening;
      return respond(memory, cue, { interruptible });
    }
    default:
      return stay(state);
  }
}

function open({ memory }: Listening, { opening }: TurnEvent & { type: 'opened' }): TurnStep {
  // A menu gets no greeting.
  if (memory.menu) return releaseFloor(memory);
  if (opening.who === 'agent' && opening.delayMs === 0) {
    return respond(memory, opening.cue, { interruptible: !opening.uninterruptible });
  }
  const waitsFor = opening.who === 'agent' ? opening : opening.fallback;
  const pending = waitsFor && {
    cue: waitsFor.cue,
    interruptible: !(opening.who === 'agent' && opening.uninterruptible),
    due: false,
  };
  return {
    state: { kind: 'listening', memory: { ...memory, opening: pending, announced: 'listening' } },
    effects: [
      { type: 'announce', state: 'listening' },
      ...(waitsFor
        ? [{ type: 'start_timer' as const, timer: 'opening' as const, delayMs: waitsFor.delayMs }]
        : []),
    ],
  };
}
