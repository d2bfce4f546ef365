import { describe, expect, it } from '@jest/globals';
import type { SipLogEntry } from '@calls/sip/endpoint-options';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { MAX_LOG_BYTES, SipLogs } from './sip-logs.ts';

const peer = { address: '192.0.2.1', port: 5060, transport: 'udp' } as const;

function message(text: string, overrides: Partial<SipLogEntry> = {}): SipLogEntry {
  return { direction: 'received', callId: 'c1', peer, text, ...overrides };
}

describe('SipLogs', () => {
  it('returns the messages of a call in order, with time and direction', () => {
    const clock = new VirtualClock();
    const logs = new SipLogs(clock);
    logs.note(message('INVITE sip:a@b SIP/2.0\r\nVia: x\r\n\r\n'));
    logs.claim('c1');
    logs.note(message('SIP/2.0 200 OK\r\n\r\n', { direction: 'sent' }));
    const at = new Date(clock.wallMs()).toISOString();
    expect(logs.take('c1')).toBe(
      `${at} received from udp:192.0.2.1:5060\nINVITE sip:a@b SIP/2.0\r\nVia: x\n\n` +
        `${at} sent to udp:192.0.2.1:5060\nSIP/2.0 200 OK\n\n`,
    );
    expect(logs.take('c1')).toBeNull();
    expect(logs.size).toBe(0);
  });

  it('passes all messages of a call to its follower, from the INVITE on', () => {
    const logs = new SipLogs(new VirtualClock());
    const followed: string[] = [];
    logs.note(message('INVITE sip:a@b SIP/2.0'));
    logs.claim('c1');
    logs.note(message('SIP/2.0 100 Trying'));
    logs.follow('c1', ({ text }) => followed.push(text));
    logs.note(message('SIP/2.0 180 Ringing'));
    logs.join('c2', 'c1');
    logs.note(message('INVITE sip:other@b SIP/2.0', { callId: 'c2' }));
    logs.note(message('INVITE sip:stranger@b SIP/2.0', { callId: 'c3' }));
    expect(followed).toEqual([
      ...['INVITE sip:a@b SIP/2.0', 'SIP/2.0 100 Trying', 'SIP/2.0 180 Ringing'],
      'INVITE sip:other@b SIP/2.0',
    ]);
  });

  it('starts only with an INVITE', () => {
    const logs = new SipLogs(new VirtualClock());
    logs.note(message('OPTIONS sip:a@b SIP/2.0\r\n\r\n'));
    logs.note(message('SIP/2.0 200 OK\r\n\r\n'));
    expect(logs.size).toBe(0);
  });

  it('drops the oldest INVITEs that did not become calls, but no call', () => {
    const logs = new SipLogs(new VirtualClock());
    logs.note(message('INVITE sip:a@b SIP/2.0', { callId: 'call' }));
    logs.claim('call');
    for (let i = 0; i < 1000; i += 1) logs.note(message('INVITE sip:a@b SIP/2.0', { callId: `s${i}` }));
    expect(logs.size).toBe(257);
    expect(logs.take('s0')).toBeNull();
    expect(logs.take('s999')).not.toBeNull();
    expect(logs.take('call')).not.toBeNull();
  });

  it('limits its size and reports how many messages are missing', () => {
    const logs = new SipLogs(new VirtualClock());
    logs.note(message('INVITE sip:a@b SIP/2.0'));
    for (let i = 0; i < 100; i += 1) logs.note(message(`INFO ${'x'.repeat(10_000)}`));
    const text = logs.take('c1') ?? '';
    expect(text.length).toBeLessThan(MAX_LOG_BYTES + 100);
    expect(text.slice(-60)).toMatch(/\n74 more messages were left out: the log is full\.\n$/u);
  });
});
