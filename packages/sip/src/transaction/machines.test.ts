import { describe, expect, it } from '@jest/globals';
import type { SipResponse } from '../message/message.ts';
import { startInviteClient, stepInviteClient } from './invite-client.ts';
import { startInviteServer, stepInviteServer } from './invite-server.ts';
import type { Step } from './machine.ts';
import { startRequestClient, stepRequestClient } from './request-client.ts';
import { startRequestServer, stepRequestServer } from './request-server.ts';

const response = (status: number): SipResponse => ({
  kind: 'response',
  status,
  reason: '',
  headers: [],
  body: '',
});
const received = (status: number) => ({ kind: 'response', response: response(status) }) as const;
const respond = (status: number) => ({ kind: 'respond', response: response(status) }) as const;
const timer = (name: 'repeat' | 'giveUp' | 'forget') => ({ kind: 'timer', timer: name }) as const;

interface AnyEffect {
  kind: string;
  timer?: string;
  delayMs?: number;
  cause?: string;
  response?: SipResponse;
}

/** `send`, `pass 200`, `startTimer repeat 500`, … */
function words({ kind, timer: name, delayMs, cause, response: of }: AnyEffect): string {
  return [kind, name, delayMs, cause, of?.status].filter((part) => part !== undefined).join(' ');
}

/** For the start and each event: the effects, then the state in brackets. */
function played<State extends { name: string }, Event, Effect extends AnyEffect>(
  first: Step<State, Effect>,
  step: (state: State, event: Event) => Step<State, Effect>,
  events: readonly Event[],
): string[] {
  let last = first;
  const steps = [first];
  for (const event of events) {
    last = step(last.state, event);
    steps.push(last);
  }
  return steps.map(({ state, effects }) => [...effects.map(words), `[${state.name}]`].join(', '));
}

describe('INVITE client transaction', () => {
  const play = (isReliable: boolean, ...events: Parameters<typeof stepInviteClient>[1][]): string[] =>
    played(startInviteClient(isReliable), stepInviteClient, events);

  it('retransmits after 500 ms, then at doubling intervals, and fails after 32 s', () => {
    expect(play(false, timer('repeat'), timer('repeat'), timer('giveUp'), timer('repeat'))).toEqual([
      'send, startTimer giveUp 32000, startTimer repeat 500, [calling]',
      'send, startTimer repeat 1000, [calling]',
      'send, startTimer repeat 2000, [calling]',
      'fail timeout, end, [ended]',
      '[ended]',
    ]);
  });

  it('can ring without a time limit after a provisional response', () => {
    expect(play(false, received(100), received(180), timer('repeat')).slice(1)).toEqual([
      'stopTimer repeat, stopTimer giveUp, pass 100, [proceeding]',
      'pass 180, [proceeding]',
      '[proceeding]',
    ]);
  });

  it('acknowledges each repeated refusal, and passes on only the first', () => {
    expect(play(false, received(486), received(486), received(200), timer('forget')).slice(1)).toEqual([
      'stopTimer repeat, stopTimer giveUp, acknowledge 486, startTimer forget 32000, pass 486, [completed]',
      'acknowledge 486, [completed]',
      '[completed]',
      'end, [ended]',
    ]);
  });

  it('passes on every 2xx response, which its owner acknowledges', () => {
    expect(play(false, received(200), received(200), received(486), timer('forget')).slice(1)).toEqual([
      'stopTimer repeat, stopTimer giveUp, startTimer forget 32000, pass 200, [accepted]',
      'pass 200, [accepted]',
      '[accepted]',
      'end, [ended]',
    ]);
  });

  it('fails 32 s after a CANCEL without a final response, even if the peer rings', () => {
    expect(
      play(false, received(180), { kind: 'cancelled' }, received(180), timer('giveUp')).slice(2),
    ).toEqual([
      'startTimer giveUp 32000, [proceeding]',
      'pass 180, [proceeding]',
      'fail timeout, end, [ended]',
    ]);
    expect(play(false, { kind: 'cancelled' }).at(-1)).toBe('[calling]');
  });

  it('does not retransmit over TCP, and ends at a refusal or when the connection fails', () => {
    expect(play(true, received(404))).toEqual([
      'send, startTimer giveUp 32000, [calling]',
      'acknowledge 404, pass 404, end, [ended]',
    ]);
    expect(play(true, { kind: 'transportFailed' }).at(-1)).toBe('fail transport, end, [ended]');
  });
});

describe('non-INVITE client transaction', () => {
  const play = (isReliable: boolean, ...events: Parameters<typeof stepRequestClient>[1][]): string[] =>
    played(startRequestClient(isReliable), stepRequestClient, events);

  it('retransmits at growing intervals of at most 4 s, and fails after 32 s', () => {
    const repeats = Array.from({ length: 5 }, () => timer('repeat'));
    expect(play(false, ...repeats, received(100), timer('repeat'), timer('giveUp'))).toEqual([
      'send, startTimer giveUp 32000, startTimer repeat 500, [trying]',
      'send, startTimer repeat 1000, [trying]',
      'send, startTimer repeat 2000, [trying]',
      'send, startTimer repeat 4000, [trying]',
      'send, startTimer repeat 4000, [trying]',
      'send, startTimer repeat 4000, [trying]',
      'startTimer repeat 4000, pass 100, [proceeding]',
      'send, startTimer repeat 4000, [proceeding]',
      'fail timeout, end, [ended]',
    ]);
  });

  it('absorbs repeated final responses for 5 s over UDP, and ends immediately over TCP', () => {
    expect(play(false, received(200), received(200), timer('forget')).slice(1)).toEqual([
      'stopTimer repeat, stopTimer giveUp, startTimer forget 5000, pass 200, [completed]',
      '[completed]',
      'end, [ended]',
    ]);
    expect(play(true, received(200), received(200))).toEqual([
      'send, startTimer giveUp 32000, [trying]',
      'pass 200, end, [ended]',
      '[ended]',
    ]);
  });
});

describe('INVITE server transaction', () => {
  const play = (isReliable: boolean, ...events: Parameters<typeof stepInviteServer>[1][]): string[] =>
    played(startInviteServer(isReliable), stepInviteServer, events).slice(1);
  const repeated = { kind: 'repeated' } as const;
  const acknowledged = { kind: 'acknowledged' } as const;

  it('repeats its last response when the request is retransmitted', () => {
    expect(play(false, repeated, respond(100), repeated, respond(180), repeated)).toEqual([
      '[proceeding]',
      'send 100, [proceeding]',
      'send 100, [proceeding]',
      'send 180, [proceeding]',
      'send 180, [proceeding]',
    ]);
  });

  it('repeats a refusal until it is acknowledged, and then absorbs ACKs for 5 s', () => {
    const steps = play(
      false,
      respond(486),
      timer('repeat'),
      repeated,
      timer('repeat'),
      acknowledged,
      acknowledged,
      repeated,
      timer('forget'),
    );
    expect(steps).toEqual([
      'send 486, startTimer giveUp 32000, startTimer repeat 500, [completed]',
      'send 486, startTimer repeat 1000, [completed]',
      'send 486, [completed]',
      'send 486, startTimer repeat 2000, [completed]',
      'stopTimer repeat, stopTimer giveUp, startTimer forget 5000, [confirmed]',
      '[confirmed]',
      '[confirmed]',
      'end, [ended]',
    ]);
    expect(play(false, respond(486), timer('giveUp')).at(-1)).toBe('fail timeout, end, [ended]');
    expect(play(true, respond(486), acknowledged)).toEqual([
      'send 486, startTimer giveUp 32000, [completed]',
      'end, [ended]',
    ]);
  });

  it('absorbs retransmissions after a 2xx response, which its owner may send again', () => {
    expect(play(false, respond(200), repeated, respond(200), acknowledged, timer('forget'))).toEqual([
      'send 200, startTimer forget 32000, [accepted]',
      '[accepted]',
      'send 200, [accepted]',
      '[accepted]',
      'end, [ended]',
    ]);
  });
});

describe('non-INVITE server transaction', () => {
  const play = (isReliable: boolean, ...events: Parameters<typeof stepRequestServer>[1][]): string[] =>
    played(startRequestServer(isReliable), stepRequestServer, events).slice(1);

  it('repeats its response to retransmissions for 32 s over UDP, and ends immediately over TCP', () => {
    expect(
      play(false, { kind: 'repeated' }, respond(200), respond(500), { kind: 'repeated' }, timer('forget')),
    ).toEqual([
      '[trying]',
      'send 200, startTimer forget 32000, [completed]',
      '[completed]',
      'send 200, [completed]',
      'end, [ended]',
    ]);
    expect(play(true, respond(200))).toEqual(['send 200, end, [ended]']);
  });
});
