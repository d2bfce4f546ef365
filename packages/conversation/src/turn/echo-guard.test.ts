import { describe, expect, it } from '@jest/globals';
import {
  audible,
  begun,
  Conversation,
  endpoint,
  fired,
  greeting,
  interrupting,
  interimTranscript,
  paused,
  spoken,
  transcribed,
} from './testing/conversation.ts';

const says = 'Hello, this is the flower shop';
/** The first audio of the response was just sent. */
const starting = (): Conversation => new Conversation().play(greeting, begun(1));

describe('the echo guard', () => {
  it('covers the first 600 ms of a response', () => {
    expect(starting().waits).toEqual({ echo_guard: 600 });
    expect(starting().play(fired('echo_guard')).waits).toEqual({});
  });

  it('does not pause the agent for audio alone', () => {
    const call = starting().play(interrupting, paused);
    expect(call.effects).toEqual(['open 1', 'transcribe 1.1']);
    expect(call.play(endpoint, transcribed(1, 1, '')).effects).toEqual(['close 1', 'dismiss 1 nothing']);
    expect(call.state.kind).toBe('responding');
  });

  it('pauses the agent for speech that lasts beyond the guard', () => {
    const call = starting().play(interrupting, fired('echo_guard'));
    expect(call.effects.slice(1)).toEqual(['pause 1', 'announce listening']);
    expect(call.play(paused, transcribed(1, 1, 'wait a moment')).effects).toContain('interrupt 1');
  });

  it('does not pause the agent for speech that ended within the guard', () => {
    const call = starting().play(interrupting, paused, fired('echo_guard'));
    expect(call.state.kind).toBe('responding');
    expect(call.play(endpoint, transcribed(1, 1, '')).state.kind).toBe('responding');
  });

  it('lets words interrupt immediately', () => {
    const interim = starting().play(interrupting, interimTranscript(1, 'no wait'));
    expect(interim.effects).toContain('interrupt 1');
    expect(interim.waits).not.toHaveProperty('echo_guard');
    const whole = starting().play(interrupting, paused, transcribed(1, 1, 'no wait'), endpoint);
    expect(whole.effects.slice(-4)).toEqual([
      'user voice "no wait"',
      'close 1',
      'commit 2',
      'announce thinking',
    ]);
  });

  it('treats a single word as an echo only if it was just played', () => {
    const echo = starting().play(interrupting, paused, transcribed(1, 1, 'hello', says), endpoint);
    expect(echo.effects.slice(-2)).toEqual(['close 1', 'dismiss 1 echo "hello"']);
    const user = starting().play(interrupting, paused, transcribed(1, 1, 'stop', says), endpoint);
    expect(user.effects).toContain('interrupt 1');
    expect(user.effects).toContain('user voice "stop"');
  });

  it('dismisses repeated words of the agent, and then requires words to interrupt', () => {
    const call = starting().play(interrupting, interimTranscript(1, 'hello', says));
    expect(call.state.kind).toBe('responding');
    call.play(paused, transcribed(1, 1, 'hello this', says), endpoint);
    expect(call.effects).toEqual(['transcribe 1.1', 'close 1', 'dismiss 1 echo "hello this"']);
    expect(call.waits).toEqual({});
    call.play(interrupting, paused, transcribed(2, 1, 'the flower shop', says), endpoint);
    expect(call.effects).toEqual(['open 2', 'transcribe 2.1', 'close 2', 'dismiss 2 echo "the flower shop"']);
    expect(call.play(interrupting, paused, transcribed(3, 1, 'stop', says)).effects).toContain('interrupt 1');
  });

  it('detects echoes after the guard, but lets a single repeated word interrupt', () => {
    const echo = new Conversation().play(greeting, audible(1), interrupting, paused);
    echo.play(transcribed(1, 1, 'flower shop', says), endpoint);
    expect(echo.effects).toEqual([
      'close 1',
      'dismiss 1 echo "flower shop"',
      'resume 1',
      'announce speaking',
    ]);
    const answer = new Conversation().play(greeting, audible(1), interrupting, paused);
    expect(answer.play(transcribed(1, 1, 'flower', says)).effects).toContain('interrupt 1');
  });

  it('ignores an echo after the end of the response', () => {
    const call = starting().play(
      fired('echo_guard'),
      interrupting[0] ?? [],
      spoken(1),
      interrupting[1] ?? [],
    );
    expect(call.state.kind).toBe('userSpeaking');
    call.play(paused, transcribed(1, 1, 'flower shop', says), endpoint);
    expect(call.state.kind).toBe('listening');
  });

  it("lets the user repeat the agent's words after the response", () => {
    const call = new Conversation().play(greeting, audible(1), spoken(1), interrupting, paused);
    call.play(transcribed(1, 1, 'the flower shop', says), endpoint);
    expect(call.effects).toContain('user voice "the flower shop"');
  });
});
