import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findFreePort } from '@calls/local-stack';
import { findingsOf, startCoturn, turnCredentials, type Coturn } from '../support/coturn.ts';

let coturn: Coturn;

beforeAll(async () => {
  coturn = await startCoturn('127.0.0.1');
}, 30_000);

afterAll(async () => {
  await coturn[Symbol.asyncDispose]();
});

describe('the doctor, of TURN servers', () => {
  it.each(['', '?transport=tcp'])('gets a relayed address of one that works %s', async (transport) => {
    const urls = [`turn:127.0.0.1:${coturn.port}${transport}`];
    expect(await findingsOf([{ urls, ...turnCredentials(coturn.secret) }])).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        text: expect.stringMatching(/^relays by 127\.0\.0\.1:\d+$/u),
      }),
    ]);
  });

  it('says what is wrong with the others', async () => {
    const closed = await findFreePort('127.0.0.1');
    const told = await findingsOf([
      { urls: [`turn:127.0.0.1:${coturn.port}`], ...turnCredentials('another secret') },
      { urls: [`turn:127.0.0.1:${closed}?transport=tcp`], ...turnCredentials(coturn.secret) },
      { urls: [`turn:127.0.0.1:${coturn.port}`] },
      { urls: ['turn://127.0.0.1'] },
    ]);
    expect(told.map(({ outcome }) => outcome)).toEqual(['fault', 'fault', 'fault', 'fault']);
    expect(told.map(({ text }) => text)).toEqual([
      expect.stringContaining('401'),
      expect.stringContaining('ECONNREFUSED'),
      'has no user name and password',
      'is no stun:, turn: or turns: URL',
    ]);
  });

  it('says that none is configured', async () => {
    expect(await findingsOf([])).toEqual([expect.objectContaining({ outcome: 'skipped' })]);
  });
});
