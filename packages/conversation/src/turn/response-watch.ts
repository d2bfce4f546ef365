import { apologize, phraseCue } from './apology.ts';
import { interruptAgent, discardSpeculation, prepend, respond, stay, stopHolding } from './transitions.ts';
import type {
  MissingResponse,
  TurnEffect,
  TurnEvent,
  TurnMemory,
  TurnState,
  TurnStep,
  UserTurn,
} from './turn-types.ts';
import { settleUser } from './user-turn.ts';

/** Time limit from the end of a user turn until the agent speaks or an event says why not. */
const RESPONSE_LIMIT_MS = 5000;

/**
 * Runs after every step, so that no user turn stays without a response. A response that was cut before any of it was played is
 * generated again when the floor is free. A response that takes longer than RESPONSE_LIMIT_MS is reported.
 */
export function watchResponse(before: TurnState, event: TurnEvent, step: TurnStep): TurnStep {
  const { state, effects } = step;
  if (state.kind === 'closed') return step;
  const owed = awaitsResponse(before, event, step);
  const isMissing = before.memory.watch.owed && !owed && isEnd(before, event);
  const reported = isMissing ? report(event.endsWithTools ? 'tools_only' : 'nothing_to_say') : [];
  const next = withWatch(state, { ...state.memory.watch, owed });
  if (next.kind === 'listening' && owed)
    return withTimer(prepend([...effects, ...reported], respond(next.memory, { kind: 'reply' })));
  return withTimer({ state: next, effects: [...effects, ...reported] });
}

/** RESPONSE_LIMIT_MS has passed: reports it and plays a filler. The second time, cuts the response and apologizes. */
export function responseMissing(state: TurnState): TurnStep {
  if (!state.memory.watch.running) return { state, effects: [] };
  const fired = withWatch(state, { ...state.memory.watch, running: false });
  if (fired.kind === 'endpointing') {
    if (fired.user.recognition.status === 'known') {
      const over: UserTurn = { ...fired.user, end: { status: 'over' } };
      return prepend(stopHolding(fired.user), settleUser(fired.memory, over));
    }
    const user: UserTurn = {
      ...fired.user,
      // The phrase is played to its end; the response to the transcript follows it.
      yields: true,
      needsResponse: true,
      speculative: null,
      end: { status: 'unknown' },
    };
    const effects = [
      ...report('recognition_late'),
      ...discardSpeculation(fired.user),
      ...stopHolding(fired.user),
    ];
    return prepend(effects, respond(fired.memory, phraseCue(fired.memory, 'one_moment'), { user }));
  }
  if (fired.kind !== 'responding' || fired.agent.audible) return { state: fired, effects: [] };
  const { memory, agent, user } = fired;
  if (agent.tools !== 'idle') {
    return {
      state: { ...fired, agent: { ...agent, tools: 'reported' } },
      effects: [...report('tool_running'), { type: 'fill_silence', generation: agent.generation }],
    };
  }
  const late = report('response_late');
  if (!memory.watch.late) {
    return {
      state: withWatch(fired, { ...memory.watch, late: true }),
      effects: [...late, { type: 'fill_silence', generation: agent.generation }],
    };
  }
  if (agent.thenEnd) return { state: fired, effects: late };
  return prepend([...late, ...interruptAgent(agent)], apologize(memory, 'trouble', user));
}

/**
 * Stops the deadline while tools of the response run. Once they have settled, the response has the whole time again.
 */
export function followTools(
  state: TurnState,
  { type, generation }: TurnEvent & { type: 'tools_started' | 'tools_settled' },
): TurnStep {
  const hasAgent = state.kind === 'responding' || state.kind === 'interrupted';
  if (!hasAgent || state.agent.generation !== generation) return stay(state);
  if (type === 'tools_started') return stay({ ...state, agent: { ...state.agent, tools: 'running' } });
  const idle = { ...state, agent: { ...state.agent, tools: 'idle' as const } };
  return stay(withWatch(idle, { ...state.memory.watch, running: false, late: false }));
}

function report(reason: MissingResponse): TurnEffect[] {
  return [{ type: 'report_missing_response', reason }];
}

/** Whether a user turn still waits for its response. */
function awaitsResponse(before: TurnState, event: TurnEvent, { state, effects }: TurnStep): boolean {
  const isAnswered = effects.some(({ type }) => type === 'commit_generation');
  if (isAnswered && effects.some(({ type }) => type === 'add_user_message')) return true;
  if (state.kind === 'responding' && state.agent.audible) return false;
  // A response without words may be followed by another one at once, such as the first of a new stage.
  if (event.type === 'text_shown' || (isEnd(before, event) && !isAnswered)) return false;
  return before.memory.watch.owed;
}

/** Whether the event ends the response. */
function isEnd(before: TurnState, event: TurnEvent): event is TurnEvent & { type: 'spoken' } {
  return (
    event.type === 'spoken' &&
    !event.failed &&
    before.kind === 'responding' &&
    before.agent.generation === event.generation
  );
}

/** Starts or cancels the timer: it runs while the user waits, until an event reports why there is no response. */
function withTimer({ state, effects }: TurnStep): TurnStep {
  const { owed } = state.memory.watch;
  // A final message starts with all timers cancelled.
  const isOff = effects.some((effect) => effect.type === 'cancel_timer' && effect.timer === 'response_due');
  const running = state.memory.watch.running && !isOff;
  const waits =
    (state.kind === 'endpointing' && state.user.ended && state.user.isTurn && !mayPauseLong(state)) ||
    (state.kind === 'responding' && owed && !state.agent.audible && state.agent.tools !== 'reported');
  const late = waits && state.memory.watch.late;
  const next = withWatch(state, { owed, running: waits, late });
  if (waits === running) return { state: next, effects };
  const timer: TurnEffect = waits
    ? { type: 'start_timer', timer: 'response_due', delayMs: RESPONSE_LIMIT_MS }
    : { type: 'cancel_timer', timer: 'response_due' };
  return { state: next, effects: [...effects, timer] };
}

/** Pauses of phone menus can be longer than RESPONSE_LIMIT_MS. */
function mayPauseLong({ memory, user }: TurnState & { kind: 'endpointing' }): boolean {
  return memory.menu !== null && user.end.status === 'held';
}

function withWatch<S extends TurnState>(state: S, watch: TurnMemory['watch']): S {
  return { ...state, memory: { ...state.memory, watch } };
}
