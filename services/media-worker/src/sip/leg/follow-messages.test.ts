import { describe, expect, it } from '@jest/globals';
import { SIP_MESSAGE_EVENT } from '@calls/api-contract/bus/call-log-entry';
import type { SipLogEntry } from '@calls/sip/endpoint-options';
import { callSpec } from '@calls/testkit/call-spec';
import { followMessages, MAX_MESSAGE_CHARS, MAX_MESSAGE_EVENTS } from './follow-messages.ts';

const peer = { address: '2001:db8::1', port: 5060, transport: 'udp' } as const;
const OPTIONS: SipLogEntry = {
  direction: 'sent',
  callId: 'c1',
  peer,
  text: 'OPTIONS sip:a@b SIP/2.0\r\nVia: x\r\n\r\n',
};

type Noted = [severity: string, type: string, text: string, extras: Record<string, unknown> | null];

function follow(retention: 'retain' | 'zdr' = 'retain') {
  const noted: Noted[] = [];
  const follower = followMessages({ spec: callSpec({ retention }), note: (...event) => noted.push(event) });
  return { noted, follower };
}

describe('followMessages', () => {
  it('reports each message with its first line and its text', () => {
    const { noted, follower } = follow();
    follower?.(OPTIONS);
    follower?.({ ...OPTIONS, direction: 'received', text: 'SIP/2.0 200 OK\r\nX: a\0b\r\n\r\n' });
    const from = 'udp:[2001:db8::1]:5060';
    expect(noted).toEqual([
      [
        'debug',
        SIP_MESSAGE_EVENT,
        'Sent: OPTIONS sip:a@b SIP/2.0',
        { direction: 'sent', peer: from, message: 'OPTIONS sip:a@b SIP/2.0\r\nVia: x' },
      ],
      [
        'debug',
        SIP_MESSAGE_EVENT,
        'Received: SIP/2.0 200 OK',
        { direction: 'received', peer: from, message: 'SIP/2.0 200 OK\r\nX: a\uFFFDb' },
      ],
    ]);
  });

  it('bounds the number of events and their size', () => {
    const { noted, follower } = follow();
    const text = `INVITE sip:${'a'.repeat(10_000)}@b SIP/2.0\r\n\r\n`;
    for (let i = 0; i < MAX_MESSAGE_EVENTS + 10; i += 1) follower?.({ ...OPTIONS, text });
    expect(noted).toHaveLength(MAX_MESSAGE_EVENTS);
    expect(String(noted[0]?.[3]?.['message'])).toHaveLength(MAX_MESSAGE_CHARS);
    expect(noted[0]?.[2].length).toBeLessThan(300);
    expect(noted.filter(([, , , extras]) => extras?.['isLast'] === true)).toHaveLength(1);
    expect(noted.at(-1)?.[3]).toMatchObject({ isLast: true });
  });

  it('reports nothing for a call with zero retention', () => {
    expect(follow('zdr').follower).toBeNull();
  });
});
