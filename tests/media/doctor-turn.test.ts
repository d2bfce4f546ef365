import { afterAll, describe, expect, it } from '@jest/globals';
import { findFreePorts } from '@calls/local-stack/free-port';
import { findingsOf, startCoturn, turnCredentials } from '../support/coturn.ts';
import { WebRtcServer } from '../support/webrtc/web-rtc-server.ts';
import { WebRtcClient } from '../support/webrtc/webrtc-client.ts';

const [coturn, server] = await Promise.all([startCoturn('127.0.0.1'), WebRtcServer.start()]);
const media = (await WebRtcClient.connect(server.url)).ready.receiveTransport;

afterAll(async () => {
  await WebRtcClient.stopAll();
  await server[Symbol.asyncDispose]();
  await coturn[Symbol.asyncDispose]();
});

describe('npm run doctor: TURN check', () => {
  it.each(['', '?transport=tcp'])('obtains a relayed address from a working server %s', async (transport) => {
    const urls = [`turn:127.0.0.1:${coturn.port}${transport}`];
    expect(await findingsOf([{ urls, ...turnCredentials(coturn.secret) }], media)).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        text: expect.stringMatching(/^relays through 127\.0\.0\.1:\d+ to the media-worker$/u),
      }),
    ]);
  });

  it('reports why servers fail', async () => {
    const closed = await findFreePorts(1);
    const servers = [
      { urls: [`turn:127.0.0.1:${coturn.port}`], ...turnCredentials('another secret') },
      { urls: [`turn:127.0.0.1:${closed}?transport=tcp`], ...turnCredentials(coturn.secret) },
      { urls: [`turn:127.0.0.1:${coturn.port}`] },
      { urls: ['turn://127.0.0.1'] },
    ];
    const findings = await findingsOf(servers, media);
    expect(findings.map(({ outcome }) => outcome)).toEqual(['error', 'error', 'error', 'error']);
    expect(findings.map(({ text }) => text)).toEqual([
      expect.stringContaining('401'),
      expect.stringContaining('ECONNREFUSED'),
      'has no user name and password',
      'is not a stun:, turn: or turns: URL',
    ]);
  });

  it('reports that a working server cannot reach the media-worker', async () => {
    const servers = [{ urls: [`turn:127.0.0.1:${coturn.port}`], ...turnCredentials(coturn.secret) }];
    const [candidate] = media.iceCandidates;
    if (!candidate) throw new Error('no candidate');
    // Multicast: coturn rejects multicast peers.
    const iceCandidates = [{ ...candidate, address: '224.0.0.1' }];
    const findings = await findingsOf(servers, { ...media, iceCandidates });
    expect(findings).toEqual([
      expect.objectContaining({
        outcome: 'error',
        text: expect.stringMatching(
          /^relays through .*, but does not reach a media-worker: 224\.0\.0\.1:\d+: 403 /u,
        ),
        remedy: expect.stringContaining('RTC_PORT'),
      }),
    ]);
  });

  it('reports that no server is configured', async () => {
    expect(await findingsOf([], media)).toEqual([expect.objectContaining({ outcome: 'skipped' })]);
  });
});
