import { describe, it } from '@jest/globals';
import type { MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import fc from 'fast-check';
import { MAX_MENU_SILENCES } from './inactivity.ts';
import { evidenceOf, VAD_EDGES } from './testing/conversation.ts';
import { initialTurnState, stepTurn } from './step-turn.ts';
import type {
  AfterResponse,
  ForcedMessage,
  TurnEffect,
  TurnEvent,
  TurnState,
  UserTurn,
} from './turn-types.ts';
import type { TurnTimer } from './turn-timer.ts';
import { haveSameWords } from './transcript/tokens.ts';

/** `npm run test:long` sets TEST_LONG. */
const SEQUENCES = process.env['TEST_LONG'] === '1' ? 100_000 : 5000;

/** Jest's own expect is too slow for millions of checks. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Effects of a transcript that arrives after the end of the call. */
const LAST_EFFECTS = new Set<TurnEffect['type']>(['add_user_message', 'close_utterance', 'dismiss_speech']);

/** The state that results from the effects so far. Throws if an effect contradicts it. */
class World {
  readonly started = new Set<number>();
  committed: number | null = null;
  playout: 'playing' | 'ducked' | 'paused' = 'playing';
  /** Whether tools are held. */
  held = false;
  utterance: number | null = null;
  revision = 0;
  readonly timers = new Set<TurnTimer>();
  ended = false;
  /** Number of text messages of the user that were added to the history. */
  written = 0;
  /** Utterances with recognized words. */
  readonly recognized = new Set<number>();
  /** Utterances that became a message or were dismissed. */
  readonly accounted = new Set<number>();
  /** The words that a generation assumes, if any. */
  readonly #assumed = new Map<number, string>();
  #lastWords = '';
  #lastMessage: MessageMedium | null = null;
  #lastGeneration = 0;
  #lastUtterance = 0;

  apply(effect: TurnEffect): void {
    must(!this.ended || LAST_EFFECTS.has(effect.type), 'an effect after the end');
    switch (effect.type) {
      case 'start_generation':
        must(effect.generation > this.#lastGeneration, 'a generation id came again');
        must(
          effect.assuming?.kind !== 'sound' || effect.assuming.utterance === this.utterance,
          'the sound of an utterance that is not there',
        );
        this.#lastGeneration = effect.generation;
        this.started.add(effect.generation);
        if (effect.assuming?.kind === 'words') this.#assumed.set(effect.generation, effect.assuming.text);
        break;
      case 'commit_generation':
        must(this.started.delete(effect.generation), 'committed what was never started');
        must(this.committed === null, 'two generations committed');
        must(
          haveSameWords(this.#assumed.get(effect.generation) ?? this.#lastWords, this.#lastWords),
          'committed a response to other words',
        );
        this.committed = effect.generation;
        this.playout = 'playing';
        this.held = false;
        break;
      case 'discard_generation':
        must(this.started.delete(effect.generation), 'discarded what was not waiting');
        break;
      case 'interrupt_generation':
        must(this.committed === effect.generation, 'interrupted what had not the floor');
        this.committed = null;
        this.held = false;
        break;
      case 'duck_playout':
        must(this.committed === effect.generation && this.playout !== 'ducked', 'ducked out of turn');
        this.playout = 'ducked';
        break;
      case 'pause_playout':
        must(this.committed === effect.generation && this.playout !== 'paused', 'paused out of turn');
        this.playout = 'paused';
        break;
      case 'resume_playout':
        must(this.committed === effect.generation && this.playout !== 'playing', 'resumed out of turn');
        this.playout = 'playing';
        break;
      case 'hold_tools':
        must(this.committed === effect.generation && !this.held, 'held tools out of turn');
        this.held = true;
        break;
      case 'release_tools':
        must(this.held, 'released tools that were not held');
        this.held = false;
        break;
      case 'fill_silence':
        must(this.committed === effect.generation, 'filled for another generation');
        break;
      case 'open_utterance':
        must(this.utterance === null, 'two utterances open');
        must(effect.utterance > this.#lastUtterance, 'an utterance id came again');
        this.#lastUtterance = effect.utterance;
        this.utterance = effect.utterance;
        this.revision = 0;
        break;
      case 'transcribe':
        must(
          this.utterance === effect.utterance && effect.revision > this.revision,
          'transcribed out of turn',
        );
        this.revision = effect.revision;
        break;
      case 'end_utterance':
        must(this.utterance === effect.utterance, 'ended what was not open');
        break;
      case 'close_utterance':
        must(this.utterance === effect.utterance, 'closed what was not open');
        this.utterance = null;
        break;
      case 'assess_end':
        must(this.utterance === effect.utterance && effect.revision === this.revision, 'judged other words');
        break;
      case 'dismiss_speech':
        must(!this.recognized.has(effect.utterance) || effect.text !== '', 'dismissed words unseen');
        this.#account(effect.utterance);
        break;
      case 'start_timer':
        this.timers.add(effect.timer);
        break;
      case 'cancel_timer':
        this.timers.delete(effect.timer);
        break;
      case 'end_call':
        this.ended = true;
        break;
      case 'add_user_message':
        if (effect.medium === 'text') this.written += 1;
        must(!effect.continues || this.#lastMessage === 'voice', 'went on with what is no speech');
        this.#lastMessage = effect.medium;
        this.#lastWords = effect.text;
        must((effect.medium === 'voice') === effect.utterances.length > 0, 'a message of unknown speech');
        for (const utterance of effect.utterances) this.#account(utterance);
        break;
      case 'announce':
      case 'report_missing_response':
      case 'report_menu_silence':
        break;
    }
  }

  /** Called before the event is applied: records that the open utterance has words. */
  hear(state: TurnState, event: TurnEvent): void {
    if (event.type !== 'transcribed' && event.type !== 'words_heard') return;
    const user = state.kind === 'listening' ? null : state.user;
    if (user?.utterance !== event.utterance || event.text === '') return;
    const { recognition } = user;
    if (recognition.status !== 'known') this.recognized.add(event.utterance);
  }

  /** Checks that each utterance is accounted for only once. */
  #account(utterance: number): void {
    must(utterance <= this.#lastUtterance, 'an utterance that never began');
    must(!this.accounted.has(utterance), 'an utterance ended twice');
    this.accounted.add(utterance);
  }

  check(state: TurnState): void {
    must(this.started.size <= 1, 'two speculative generations');
    const hasAgent = state.kind === 'responding' || state.kind === 'interrupted';
    must((this.committed !== null) === hasAgent, `agent in state ${state.kind}`);
    const playout = state.kind === 'interrupted' ? state.playout : 'playing';
    must(!hasAgent || this.playout === playout, `${this.playout} in state ${state.kind}`);
    const hasUser = state.kind !== 'listening' && state.user !== null;
    must((this.utterance !== null) === hasUser, `utterance in state ${state.kind}`);
    this.#checkSilence(state);
    this.#checkTimers(state);
  }

  /** Each timer runs exactly while its state waits for it. */
  #checkTimers(state: TurnState): void {
    const agent = state.kind === 'responding' || state.kind === 'interrupted' ? state.agent : null;
    const user = state.kind === 'listening' || state.kind === 'closed' ? null : state.user;
    const runs = (timer: TurnTimer, expected: boolean): void =>
      must(this.timers.has(timer) === expected, `the timer ${timer} in state ${state.kind}`);
    runs('echo_guard', agent?.guard === 'start');
    runs('aside', agent !== null && agent.aside !== null);
    runs('hold', user?.end.status === 'held');
    const hasFloor = state.kind === 'userSpeaking' || (state.kind === 'endpointing' && !state.user.ended);
    runs('long_speech', hasFloor);
    must(user?.end.status !== 'held' || (state.kind === 'endpointing' && user.ended), 'held without a turn');
    const isDucked = state.kind === 'interrupted' && state.playout === 'ducked';
    const recognition = user?.recognition.status;
    const isDecided = recognition === 'known' || (user?.speaking === true && recognition !== 'none');
    must(isDucked || !this.timers.has('duck'), `the timer duck in state ${state.kind}`);
    must(
      !isDucked || isDecided || user?.isSoft === true || this.timers.has('duck'),
      'ducked without a limit',
    );
    const isPaused = state.kind === 'interrupted' && state.playout === 'paused';
    must(
      !isPaused || !state.user.speaking || recognition === 'pending' || this.timers.has('resume'),
      'paused without a limit',
    );
    must(
      state.kind !== 'interrupted' || (state.agent.guard === 'none' && state.agent.interruptible),
      'sound paused a guarded agent',
    );
    const waits =
      (state.kind === 'endpointing' &&
        state.user.ended &&
        state.user.isTurn &&
        !(state.memory.menu && state.user.end.status === 'held')) ||
      (state.kind === 'responding' &&
        state.memory.watch.owed &&
        !state.agent.audible &&
        state.agent.tools !== 'reported');
    runs('response_due', waits);
    if (state.kind !== 'closed') runs('continuation', state.memory.unfinished?.begun ?? false);
    must(state.kind !== 'listening' || !state.memory.watch.owed, 'listened while a response was owed');
    const { aside } = agent ?? { aside: null };
    must(aside === null || agent?.audible === true, 'a backchannel over silence');
  }

  /** The inactivity timer runs exactly while the floor is free and a message is left, or while a response is awaited. */
  #checkSilence(state: TurnState): void {
    const { next, messages, phase } = state.memory.inactivity;
    const { menu } = state.memory;
    const last = menu ? MAX_MENU_SILENCES : messages.length;
    must(next <= last, 'a message that is not there');
    const counting = this.timers.has('inactivity');
    must(!counting || this.committed === null, 'counted silence while the agent had the floor');
    if (state.kind === 'closed') return;
    const waits = phase === 'counting' || phase === 'awaitingAnswer';
    must(counting === waits, `the timer runs ${counting} in phase ${phase}`);
    if (state.kind !== 'listening' || phase === 'awaitingAnswer') return;
    must(state.memory.forced.length === 0 && state.memory.pending.length === 0, 'said nothing of what waits');
    if (state.memory.opening) return;
    must(phase === (next < last ? 'counting' : 'idle'), `listening in phase ${phase}`);
  }
}

type Choice = { pick: number; text: string };

/** An event that is possible in this state. Most events refer to current ids, some to stale ones. */
function eventFor({ pick, text }: Choice, world: World): TurnEvent {
  const stale = pick % 11 === 0;
  const generation = stale ? 1 : (world.committed ?? 1);
  const utterance = stale ? 1 : (world.utterance ?? 1);
  const revision = world.revision;
  // The agent plays either the same text, which makes the transcript an echo, or another text.
  const evidence = evidenceOf(pick % 4 === 0 ? text : 'we close at nine');
  switch (pick % 27) {
    case 0:
      return { type: 'transcribed', utterance, revision, text, evidence };
    case 1:
      return { type: 'transcribed', utterance, revision, text: '', evidence };
    case 2:
      return { type: 'transcription_failed', utterance, revision };
    case 3:
      return { type: 'words_heard', utterance, text, isWhole: pick % 2 === 0, evidence };
    case 11:
      return pick % 2 === 0
        ? { type: 'reply_wanted' }
        : { type: 'answer_is_last', generation, reason: 'agent_hangup' };
    case 12:
      return {
        type: 'stage_changed',
        inactivityMessages: [],
        languageHint: pick % 2 === 0 ? 'de' : null,
        acceptsAudio: pick % 3 === 0,
      };
    case 13:
    case 14:
      return { type: 'end_assessed', utterance, revision, extraWaitMs: pick % 2 === 0 ? 0 : 5 };
    case 16:
      return { type: 'text_shown', generation };
    case 23:
      return { type: 'tools_started', generation };
    case 24:
      return { type: 'tools_settled', generation };
    case 4:
    case 5:
      return { type: 'audio_started', generation };
    case 6:
      return {
        type: 'spoken',
        generation,
        failed: pick % 5 === 0,
        medium: pick % 2 === 0 ? 'voice' : 'text',
        ...(pick % 7 === 0 && { next: hangsUp(pick) }),
      };
    case 7:
      return {
        type: 'text_received',
        text,
        urgency: (['immediate', 'soon', 'later'] as const)[pick % 3] ?? 'soon',
      };
    case 8: {
      // A cancelled timer may still fire if its event was already queued.
      const timer = (stale ? 'inactivity' : [...world.timers][pick % world.timers.size]) ?? 'resume';
      return { type: 'timer_fired', timer };
    }
    case 15:
      return { type: 'key_pressed' };
    case 25:
      return {
        type: pick % 3 === 0 ? 'agent_muted' : 'agent_unmuted',
        reason: pick % 5 === 0 ? 'supervisor' : 'answer_detection',
      };
    case 26:
      return pick % 3 === 0
        ? { type: 'hold_changed', isOnHold: pick % 2 === 0 }
        : { type: 'menu_changed', menu: pick % 2 === 0 ? { silenceLimitMs: 15_000 } : null };
    case 10:
      return { type: 'words_forced', words: forcedWords(pick, text), atOnce: pick % 3 === 0 };
    case 9:
      return pick % 7 === 0
        ? { type: 'ending', words: pick % 2 === 0 ? 'bye' : '', reason: 'agent_hangup' }
        : { type: pick % 2 === 0 ? 'fell_silent' : 'audio_started', generation };
    default:
      return { type: 'speech', edge: VAD_EDGES[pick % VAD_EDGES.length] ?? 'speech_started' };
  }
}

/** True if the transcript, while the agent speaks, is a backchannel or an echo of the agent. */
function isAside(state: TurnState, event: TurnEvent): boolean {
  if (event.type !== 'transcribed' && event.type !== 'words_heard') return false;
  if (state.kind !== 'responding' && state.kind !== 'interrupted') return false;
  const { agent, user } = state;
  if (!agent.audible || !user || user.over === 'silence' || user.utterance !== event.utterance) return false;
  return event.text === 'mm-hm' || event.text === event.evidence.played;
}

function pickOf(choices: readonly Choice[]): number {
  return choices[0]?.pick ?? 0;
}

/** The last result of speech-to-text, which arrives after the end of the call. */
function lastResult({ utterance, revision }: UserTurn, pick: number): TurnEvent {
  if (pick % 3 === 0) return { type: 'transcription_failed', utterance, revision };
  const text = pick % 3 === 1 ? 'tell me more' : '';
  return { type: 'transcribed', utterance, revision, text, evidence: evidenceOf('') };
}

function hangsUp(pick: number): AfterResponse {
  return pick % 3 === 0 ? { kind: 'yield' } : { kind: 'hang_up', unlessAnswered: pick % 2 === 0 };
}

function forcedWords(pick: number, text: string): ForcedMessage {
  const toolCalls = pick % 5 === 0 ? [{ name: 'tool', arguments: {} }] : [];
  return { text, interruptible: pick % 2 === 0, toolCalls };
}

const opening = fc.constantFrom<TurnEvent>(
  {
    type: 'opened',
    opening: {
      who: 'agent',
      delayMs: 0,
      uninterruptible: false,
      cue: { kind: 'greeting', text: null, prompt: null },
    },
  },
  {
    type: 'opened',
    opening: {
      who: 'agent',
      delayMs: 0,
      uninterruptible: true,
      cue: { kind: 'greeting', text: 'Hi', prompt: null },
    },
  },
  {
    type: 'opened',
    opening: { who: 'user', fallback: { delayMs: 5, cue: { kind: 'greeting', text: null, prompt: 'p' } } },
  },
  { type: 'opened', opening: { who: 'user', fallback: null } },
);

const silenceMessages = fc.array(
  fc.record({
    delayMs: fc.constant(5),
    text: fc.constant('Hello?'),
    hangUp: fc.constantFrom('never' as const, 'unless_answered' as const, 'always' as const),
  }),
  { maxLength: 3 },
);

function saysHello(effect: TurnEffect): boolean {
  return effect.type === 'start_generation' && effect.cue.kind === 'words' && effect.cue.text === 'Hello?';
}

describe('stepTurn over random events', () => {
  it(`maintains its invariants and releases everything at the end (${SEQUENCES} sequences)`, () => {
    const choice = fc.record({ pick: fc.nat(100_000), text: fc.constantFrom('mm-hm', 'tell me more') });
    fc.assert(
      fc.property(
        opening,
        silenceMessages,
        fc.record({ acceptsAudio: fc.boolean(), speculation: fc.boolean(), duckMs: fc.constantFrom(0, 500) }),
        fc.array(choice, { maxLength: 60, size: 'max' }),
        (first, messages, settings, choices) => {
          const world = new World();
          let state = initialTurnState(messages, settings);
          let written = 0;
          const play = (event: TurnEvent): void => {
            const before = state;
            world.hear(before, event);
            const step = stepTurn(state, event);
            state = step.state;
            if (event.type === 'text_received') written += 1;
            if (event.type === 'timer_fired') world.timers.delete(event.timer);
            // A response that has played to its end leaves the floor before the effects of the event.
            const current =
              (before.kind === 'responding' ||
                (before.kind === 'interrupted' && before.playout === 'ducked')) &&
              event.type === 'spoken' &&
              event.generation === before.agent.generation;
            if (current) world.committed = null;
            for (const effect of step.effects) world.apply(effect);
            must(
              !isAside(before, event) || step.effects.every(({ type }) => type !== 'interrupt_generation'),
              'a backchannel or an echo cut the agent',
            );
            const starts = step.effects.filter(({ type }) => type === 'start_generation');
            must(starts.length <= 1, 'two answers begun at once');
            must(
              settings.speculation || world.started.size === 0,
              'began an answer before the turn was over, though it must not',
            );
            const speaks = step.effects.some(saysHello);
            must(!speaks || (state.kind === 'responding' && state.user === null), 'spoke into speech');
            world.check(state);
          };
          play(first);
          for (const each of choices) play(eventFor(each, world));
          play({ type: pickOf(choices) % 2 === 0 ? 'closed' : 'suspended' });
          if (state.kind === 'closed' && state.user) play(lastResult(state.user, pickOf(choices)));
          must(state.kind === 'closed' && world.committed === null, 'the agent outlived the call');
          must(world.utterance === null && world.started.size === 0, 'work outlived the call');
          must(world.timers.size === 0, 'a timer outlived the call');
          must(
            [...world.recognized].every((utterance) => world.accounted.has(utterance)),
            'words were lost',
          );
          must(world.written === written, 'what the user wrote is in the history, once');
        },
      ),
      { numRuns: SEQUENCES },
    );
  });
});
