import { describe, expect, it } from '@jest/globals';
import { callLogEntryValidator, type CallLogEntryBody } from './call-log-entry.ts';
import { eventWithoutContent } from './without-content.ts';

const id = '01999999-9999-7999-8999-999999999999';

describe('eventWithoutContent', () => {
  it('retains only role, medium, tool name and timespans of a message', () => {
    const times = { timespan: { start: '1s', end: '2s' }, wallClockTimespan: { start: '3s', end: '4s' } };
    const retained = {
      role: 'MESSAGE_ROLE_TOOL_RESULT',
      medium: 'MESSAGE_MEDIUM_VOICE',
      toolName: 'look',
      ...times,
    } as const;
    const words = {
      text: 'word',
      errorDetails: 'word',
      invocationId: 'word',
      callState: { word: 'word' },
      metadata: { a: 'word' },
    };
    const event = { type: 'message_added', stageId: id, index: 3 } as const;
    expect(eventWithoutContent({ ...event, message: { ...retained, ...words } })).toEqual({
      ...event,
      message: retained,
    });
  });

  it('removes the text of a note, and retains numbers, booleans, codes and ids among its extras', () => {
    const note: CallLogEntryBody = {
      type: 'noted',
      stageId: id,
      callTimestampMs: 7,
      severity: 'warning',
      eventType: 'voice_error',
      text: 'could not say "word"',
      extras: {
        firstTokenMs: 250.5,
        failed: true,
        code: 'provider_refused',
        body: 'word',
        parameters: { word: 1 },
      },
    };
    const extras = { firstTokenMs: 250.5, failed: true, code: 'provider_refused' };
    expect(eventWithoutContent(note)).toEqual({ ...note, text: '', extras });
    expect(eventWithoutContent({ ...note, extras: { code: 'a word, and more' } })).toMatchObject({
      extras: {},
    });
    expect(eventWithoutContent({ ...note, extras: null })).toMatchObject({ extras: null });
    const statistics = { ...note, eventType: 'media_statistics', extras: { codec: 'G722', packetsSent: 2 } };
    expect(eventWithoutContent(statistics)).toEqual({ ...statistics, text: '' });
    const whispered = { ...note, eventType: 'supervisor_whispered', extras: { supervisorId: id } };
    expect(eventWithoutContent({ ...whispered, extras: { supervisorId: id, name: 'Ann' } })).toEqual({
      ...whispered,
      text: '',
    });
  });

  it('removes only the recording and the key of the SIP log from the end of a call', () => {
    const end = {
      type: 'ended',
      endReason: 'hangup',
      joinedAtMs: 1,
      inputTokens: 2,
      outputTokens: 3,
    } as const;
    const recording = { key: 'recordings/a/b.wav', durationMs: 1, bytes: 2 };
    expect(eventWithoutContent({ ...end, recording })).toEqual({ ...end, recording: null });
    const sip = { dialledAtMs: 1, durationMs: 2, terminationReason: 'SIP_TERMINATION_BUSY' } as const;
    expect(eventWithoutContent({ ...end, sip: { ...sip, logKey: 'sip-logs/a/b.txt' } })).toEqual({
      ...end,
      recording: null,
      sip: { ...sip, logKey: null },
    });
  });

  it('returns a valid call log entry', () => {
    const bodies: CallLogEntryBody[] = [
      { type: 'joined', clientVersion: null, workerId: 'w1' },
      { type: 'message_added', stageId: id, index: 0, message: { text: 'word' } },
    ];
    for (const [index, body] of bodies.entries()) {
      const envelope = { callId: id, accountId: id, seq: index + 1, epoch: 1, wallClockMs: 1 };
      expect(callLogEntryValidator.issues({ ...envelope, body: eventWithoutContent(body) })).toEqual([]);
    }
  });
});
