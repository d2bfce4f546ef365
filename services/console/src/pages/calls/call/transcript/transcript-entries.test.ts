import { describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../../api/client.ts';
import { currentKey, transcriptEntries } from './transcript-entries.ts';

type Message = Schemas['Message'];

function message(index: number, startMs: number, endMs: number, given: Message): Message {
  return {
    medium: 'MESSAGE_MEDIUM_VOICE',
    callStageId: 'first',
    callStageMessageIndex: index,
    timespan: { start: `${startMs / 1000}s`, end: `${endMs / 1000}s` },
    ...given,
  };
}

function event(type: string, atMs: number, given: Partial<Schemas['CallEvent']> = {}): Schemas['CallEvent'] {
  return {
    callId: 'c',
    callStageId: 'first',
    callTimestamp: `${atMs / 1000}s`,
    severity: 'debug',
    type,
    text: '',
    extras: null,
    wallClockTimestamp: null,
    ...given,
  };
}

const AGENT: Message = { role: 'MESSAGE_ROLE_AGENT' };
const USER: Message = { role: 'MESSAGE_ROLE_USER' };
const utterances = (messages: Message[], events: Schemas['CallEvent'][]) =>
  transcriptEntries(messages, events).filter((entry) => entry.kind === 'utterance');

describe('call transcript', () => {
  it('shows each tool call once, with its result and time', () => {
    const call = { role: 'MESSAGE_ROLE_TOOL_CALL', invocationId: 'i', toolName: 'find', text: '{"a":1}' };
    const result = {
      role: 'MESSAGE_ROLE_TOOL_RESULT',
      invocationId: 'i',
      text: 'none',
      errorDetails: 'late',
    };
    const [use, answer, running] = transcriptEntries(
      [
        message(0, 100, 100, call as Message),
        message(1, 500, 900, { ...AGENT, text: 'One moment.' }),
        message(2, 100, 700, result as Message),
        message(3, 950, 950, { ...(call as Message), invocationId: 'j' }),
      ],
      [],
    );
    expect(use).toMatchObject({
      kind: 'tool',
      name: 'find',
      arguments: '{"a":1}',
      startMs: 100,
      answer: { text: 'none', error: 'late', endMs: 700 },
    });
    expect(answer).toMatchObject({ kind: 'utterance', text: 'One moment.' });
    expect(running).toMatchObject({ kind: 'tool', answer: null });
  });

  it('marks only the response that was interrupted', () => {
    const messages = [
      message(0, 0, 2000, { ...AGENT, text: 'Hello!' }),
      message(1, 5000, 7000, { ...AGENT, text: 'The rooms are' }),
    ];
    const cut = (atMs: number, pausedMs: number): boolean[] =>
      utterances(messages, [event('interrupted', atMs, { extras: { pausedMs } })]).map(
        (entry) => entry.isInterrupted,
      );
    expect(cut(7300, 300)).toEqual([false, true]);
    // The response was paused for a long time before the interruption was certain.
    expect(cut(9500, 2400)).toEqual([false, true]);
    // None of the interrupted response was played.
    expect(cut(4900, 0)).toEqual([false, false]);
  });

  it('shows the latency of each response', () => {
    const messages = [
      message(0, 0, 1000, { ...USER, text: 'Hi' }),
      message(1, 1600, 3000, { ...AGENT, text: 'Hello!' }),
    ];
    const latency = event('turn_latency', 1610, { extras: { firstAudioSentMs: 600, firstSoundMs: 640 } });
    expect(utterances(messages, [latency]).map((entry) => entry.answeredAfterMs)).toEqual([null, 640]);
  });

  it('shows the latency of each of two responses that start within 0.4 s', () => {
    const messages = [
      message(0, 0, 1000, { ...USER, text: 'Hi' }),
      message(1, 1600, 1700, { ...AGENT, text: 'Hel' }),
      message(2, 1100, 1650, { ...USER, text: 'Wait' }),
      message(3, 1950, 3000, { ...AGENT, text: 'Yes?' }),
    ];
    const latencies = [
      event('turn_latency', 1610, { extras: { speechEndMs: 970, firstSoundMs: 640 } }),
      event('turn_latency', 1940, { extras: { speechEndMs: 1620, firstSoundMs: 320 } }),
    ];
    const [, hel, , yes] = utterances(messages, latencies).toSorted((a, b) => a.key.localeCompare(b.key));
    expect([hel, yes].map((entry) => entry?.answeredAfterMs)).toEqual([640, 320]);
  });

  it('does not show the latency of a response of which nothing was played at the next response', () => {
    const messages = [
      message(0, 0, 1000, { ...USER, text: 'Hi' }),
      message(1, 1500, 1500, { ...USER, text: 'Wait', medium: 'MESSAGE_MEDIUM_TEXT' }),
      message(2, 2000, 3000, { ...AGENT, text: 'Yes?' }),
    ];
    const latency = event('turn_latency', 2000, { extras: { speechEndMs: 970, firstSoundMs: 1030 } });
    expect(utterances(messages, [latency]).map((entry) => entry.answeredAfterMs)).toEqual([null, null, null]);
  });

  it('shows the results of a corpus query', () => {
    const call = (index: number, invocationId: string) =>
      message(index, 1000, 1000, { role: 'MESSAGE_ROLE_TOOL_CALL', toolName: 'queryCorpus', invocationId });
    const found = {
      sourceId: 's',
      documentId: '01a22197-fc97-702b-bb2a-237ca11cb0e4',
      excerpt: 'From seven',
    };
    const passages = [
      { ...found, title: 'House rules', publicUrl: 'https://example.com/rules', score: 0.75 },
      { ...found, score: 0.5 },
    ];
    const entries = transcriptEntries(
      [call(0, 'first'), call(1, 'second')],
      [event('knowledge', 1200, { severity: 'info', extras: { invocationId: 'second', passages } })],
    );
    expect(entries.map((entry) => entry.kind === 'tool' && entry.passages)).toEqual([
      null,
      [
        { title: 'House rules', url: 'https://example.com/rules', score: 0.75, excerpt: 'From seven' },
        { title: 'Document …a11cb0e4', url: null, score: 0.5, excerpt: 'From seven' },
      ],
    ]);
  });

  it('shows new stages and errors in chronological order', () => {
    const entries = transcriptEntries(
      [
        message(0, 0, 1000, { ...AGENT, text: 'Hello!' }),
        message(0, 3000, 4000, { ...AGENT, text: 'Now I am Bo.', callStageId: 'second' }),
      ],
      [event('voice_error', 2000, { severity: 'warning', text: 'It failed.' }), event('tool_used', 10)],
    );
    expect(entries.map(({ kind, startMs }) => [kind, startMs])).toEqual([
      ['utterance', 0],
      ['note', 2000],
      ['stage', 3000],
      ['utterance', 3000],
    ]);
    expect(entries[2]).toMatchObject({ number: 2 });
    expect(new Set(entries.map(({ key }) => key)).size).toBe(4);
  });

  it('shows dismissed speech with its words, and the reason of a slow response', () => {
    const entries = transcriptEntries(
      [],
      [
        event('speech_dismissed', 1000, {
          severity: 'warning',
          text: 'Speech was dismissed: it was a backchannel.',
          extras: { reason: 'backchannel', text: 'mm-hm' },
        }),
        event('speech_dismissed', 1200, { severity: 'debug' }),
        event('reply_slow', 4000, { severity: 'info', text: 'The response was slow.' }),
      ],
    );
    expect(entries).toMatchObject([
      { kind: 'note', severity: 'warning', text: 'Speech was dismissed: it was a backchannel. “mm-hm”' },
      { kind: 'note', severity: 'info', text: 'The response was slow.' },
    ]);
  });

  it('shows the steps of a warm transfer and no other informational events', () => {
    const entries = transcriptEntries(
      [],
      [
        event('warm_transfer_started', 1000, { severity: 'info' }),
        event('connection_restored', 1500, { severity: 'info' }),
        event('warm_transfer_ended', 2000, { severity: 'warning' }),
      ],
    );
    expect(entries.map((entry) => entry.kind === 'note' && [entry.type, entry.severity])).toEqual([
      ['warm_transfer_started', 'info'],
      ['warm_transfer_ended', 'warning'],
    ]);
  });

  it('has as its current message the one at the playback position, or the last before it', () => {
    const entries = transcriptEntries(
      [
        message(0, 500, 1000, { ...AGENT, text: 'Hello!' }),
        message(1, 1200, 1200, { ...USER, text: 'typed', medium: 'MESSAGE_MEDIUM_TEXT' }),
        message(2, 2000, 3000, { ...USER, text: 'Hi' }),
      ],
      [],
    );
    expect([0, 500, 1500, 2000, 9000].map((atMs) => currentKey(entries, atMs))).toEqual([
      null,
      'first:0',
      'first:0',
      'first:2',
      'first:2',
    ]);
  });
});
