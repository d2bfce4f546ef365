import { describe, expect, it } from '@jest/globals';
import {
  audible,
  begun,
  Conversation,
  endpoint,
  fired,
  interrupting,
  paused,
  spoken,
  started,
  transcribed,
  userFirst,
} from './testing/conversation.ts';
import { stepTurn } from './step-turn.ts';
import type { TurnEvent } from './turn-types.ts';

const wanted: TurnEvent = { type: 'reply_wanted' };
const reply = ['start 1 reply', 'commit 1', 'announce thinking'];

describe('a tool that requests a response', () => {
  it('starts it without a user message when the floor is free', () => {
    expect(new Conversation().play(userFirst, wanted).effects).toEqual(['announce listening', ...reply]);
  });

  it('waits until the agent or the user has finished', () => {
    const agent = new Conversation().play(userFirst, wanted, audible(1));
    expect(agent.play(wanted).effects).toEqual([]);
    expect(agent.play(spoken(1)).effects).toEqual(['start 2 reply', 'commit 2', 'announce thinking']);
    const cough = new Conversation().play(
      userFirst,
      started,
      wanted,
      paused,
      transcribed(1, 1, ''),
      endpoint,
    );
    expect(cough.effects.slice(-5)).toEqual(['close 1', 'dismiss 1 nothing', ...reply]);
  });

  it('shares the response to a user turn that ends meanwhile', () => {
    const call = new Conversation().play(userFirst, started, paused, transcribed(1, 1, 'hello'), wanted);
    call.play(endpoint);
    const said = ['user voice "hello"', 'close 1'];
    // The speculative generation started without the result of the tool.
    expect(call.effects).toEqual(['discard 1', ...said, 'start 2 reply', 'commit 2', 'announce thinking']);
    expect(call.play(audible(2), spoken(2)).state.kind).toBe('listening');
  });
});

describe('tools of a response that the user speaks over', () => {
  const speaksOver = () => new Conversation().play(userFirst, wanted, audible(1), interrupting);
  const words = [paused, transcribed(1, 1, 'no wait')];
  const interrupted = ({ state }: Conversation, ...events: TurnEvent[]) => {
    let current = state;
    return events.flatMap((event) => {
      const { state: next, effects } = stepTurn(current, event);
      current = next;
      return effects.flatMap((effect) =>
        effect.type === 'interrupt_generation' ? [effect.interruptedCalls ?? null] : [],
      );
    });
  };

  it('are held until the transcript arrives or the agent resumes', () => {
    expect(speaksOver().toolEffects).toEqual(['hold_tools 1']);
    expect(speaksOver().play(paused, transcribed(1, 1, ''), endpoint).toolEffects).toEqual([
      'release_tools 1',
    ]);
    // An interruption ends the hold without an effect of its own.
    expect(speaksOver().play(words).toolEffects).toEqual([]);
    expect(speaksOver().play(paused, endpoint, fired('resume')).toolEffects).toEqual(['release_tools 1']);
  });

  it('are held during the echo guard, but not after an echo was detected', () => {
    const starts = new Conversation().play(userFirst, wanted, begun(1), interrupting);
    expect([starts.state.kind, starts.toolEffects]).toEqual(['responding', ['hold_tools 1']]);
    const echo = starts.play(paused, transcribed(1, 1, 'of course', 'of course'), endpoint);
    expect(echo.toolEffects).toEqual(['release_tools 1']);
    const again = echo.play(interrupting);
    expect([again.state.kind, again.toolEffects]).toEqual(['responding', []]);
  });

  it('are not held by noise: speech that continues for 2 s without words', () => {
    const ducking = new Conversation([], { duckMs: 450 }).play(userFirst, wanted, audible(1), interrupting);
    const noise = ducking.play(fired('duck'), fired('resume'), transcribed(1, 1, ''));
    expect(noise.toolEffects).toEqual(['release_tools 1']);
    expect(noise.play(fired('resume')).toolEffects).toEqual(['hold_tools 1']);
    expect(noise.play(transcribed(1, 2, '')).toolEffects).toEqual(['release_tools 1']);
    expect(noise.play(paused).toolEffects).toEqual(['hold_tools 1']);
    const hesitant = speaksOver().play(fired('resume'), transcribed(1, 1, 'mm-hm'));
    expect(hesitant.toolEffects).toEqual([]);
  });

  it('are interrupted by words: all of the turn if it continues, otherwise the running ones', () => {
    expect(interrupted(speaksOver(), ...words)).toEqual(['running']);
    const first = [started, paused, transcribed(1, 1, 'book it'), endpoint];
    const continued = new Conversation().play(userFirst, ...first, interrupting);
    expect(interrupted(continued, paused, transcribed(2, 1, 'no wait'))).toEqual(['turn']);
  });

  it('are interrupted by an urgent text of the user, but not by interruptions from others', () => {
    const text: TurnEvent = { type: 'text_received', text: 'no wait', urgency: 'immediate' };
    expect(interrupted(speaksOver(), text)).toEqual(['running']);
    const forced = { text: 'One moment.', interruptible: true };
    const others: TurnEvent[] = [
      { type: 'words_forced', words: forced, atOnce: true },
      { type: 'agent_muted', reason: 'supervisor' },
      { type: 'ending', words: '', reason: 'hangup' },
      { type: 'suspended' },
    ];
    for (const event of others) expect(interrupted(speaksOver(), event)).toEqual([null]);
  });
});

describe('a tool that hangs up', () => {
  const hangsUp = (unlessAnswered: boolean): TurnEvent => ({
    type: 'spoken',
    generation: 1,
    failed: false,
    medium: 'voice',
    next: { kind: 'hang_up', unlessAnswered },
  });
  const speaking = (): Conversation => new Conversation().play(userFirst, wanted, audible(1));

  it('ends the call once its response was played', () => {
    expect(speaking().play(hangsUp(false)).effects).toEqual(['end agent_hangup']);
    expect(speaking().play(hangsUp(true)).effects).toContain('end agent_hangup');
  });

  it('ends the call while the user speaks only in strict mode', () => {
    expect(speaking().play(started, hangsUp(false)).state.kind).toBe('closed');
    const call = speaking().play(started, hangsUp(true));
    expect(call.play(paused, transcribed(1, 1, 'one more thing'), endpoint).state.kind).toBe('responding');
    expect(speaking().play(started, hangsUp(true), paused, transcribed(1, 1, ''), endpoint).state.kind).toBe(
      'closed',
    );
  });

  it('does not end the call in soft mode when a key was pressed', () => {
    const key: TurnEvent = { type: 'key_pressed' };
    expect(speaking().play(key, hangsUp(true)).state.kind).toBe('listening');
    expect(speaking().play(key, hangsUp(false)).state.kind).toBe('closed');
    const before = new Conversation().play(userFirst, key, wanted, audible(1));
    expect(before.play(hangsUp(true)).state.kind).toBe('closed');
  });

  it('makes its response uninterruptible', () => {
    const last: TurnEvent = { type: 'answer_is_last', generation: 1, reason: 'agent_hangup' };
    const call = speaking().play(interrupting, last);
    expect(call.effects.slice(-2)).toEqual(['resume 1', 'announce speaking']);
    expect(call.play(interrupting).state.kind).toBe('responding');
    expect(call.play(spoken(1)).effects).toEqual(['transcribe 1.1', 'end agent_hangup']);
    expect(speaking().play({ ...last, generation: 7 }, interrupting).state.kind).toBe('interrupted');
  });

  it('does not end the call when its response was interrupted', () => {
    const call = speaking().play(interrupting, paused, transcribed(1, 1, 'no wait'), hangsUp(false));
    expect(call.state.kind).toBe('endpointing');
  });
});

describe('forced messages with tool calls', () => {
  it('call their tools immediately or once the floor is free', () => {
    const toolCalls = [{ name: 'lookUp', arguments: { id: 1 } }];
    const words = { text: 'One moment.', interruptible: true, toolCalls };
    const forced: TurnEvent = { type: 'words_forced', words, atOnce: false };
    const cue = { kind: 'words', text: 'One moment.', toolCalls };
    const now = stepTurn(new Conversation().play(userFirst).state, forced);
    expect(now.effects).toContainEqual(expect.objectContaining({ type: 'start_generation', cue }));
    const busy = new Conversation().play(userFirst, wanted, audible(1), forced);
    const later = stepTurn(busy.state, spoken(1));
    expect(later.effects).toContainEqual(expect.objectContaining({ type: 'start_generation', cue }));
  });
});
