import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BACKGROUND_CLIP_NAMES } from '@calls/api-contract/rest/call-setting-values';
import { levelDbfs } from '@calls/audio/pcm';
import { encodeWav } from '@calls/audio/wav';
import { buildWavHeader } from '@calls/audio/wav-header';
import { systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { ClipLibrary } from '@calls/media-worker/background-audio/clip-library';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';
import { checkCallSignature, type SignatureVerdict } from '../support/call-signature.ts';

const UNSIGNED = { callId: newId(), sharedSecrets: [] };
const AMPLITUDE = 8000;
const FADE_MS = 200;

function tone(frequencyHz: number, sampleRateHz: number, durationMs: number): Int16Array {
  return Int16Array.from({ length: (durationMs * sampleRateHz) / 1000 }, (_, i) =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * frequencyHz * i) / sampleRateHz)),
  );
}

/** The frequency of a steady tone, derived from its rising zero crossings. */
function frequencyOf(samples: Int16Array, sampleRateHz: number): number {
  let rises = 0;
  for (let i = 1; i < samples.length; i += 1) {
    if ((samples[i - 1] ?? 0) < 0 && (samples[i] ?? 0) >= 0) rises += 1;
  }
  return (rises * sampleRateHz) / samples.length;
}

let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: string[] = [];

const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  answer(request, response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const outbound = createOutboundHttp({ allowPrivateNetworks: ['127.0.0.1'] });
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await outbound[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

const serve = (bytes: Uint8Array): void => {
  answer = (_, response) => void response.end(bytes);
};
const wavOf = (frequencyHz: number, sampleRateHz: number, durationMs: number): Uint8Array => {
  const samples = tone(frequencyHz, sampleRateHz, durationMs);
  return encodeWav([samples, samples], sampleRateHz);
};

describe('background clips by URL', () => {
  it('are resampled to the rate of the call and loop', async () => {
    serve(wavOf(500, 44_100, 2000));
    const clip = await new ClipLibrary({ outbound, clock: systemClock }).load(
      `${url}/a.wav`,
      16_000,
      UNSIGNED,
    );
    expect(clip).toHaveLength(((2000 - FADE_MS) * 16_000) / 1000);
    const middle = clip.subarray(4000, 28_000);
    expect(frequencyOf(middle, 16_000)).toBeCloseTo(500, -1);
    expect(levelDbfs(middle)).toBeCloseTo(levelDbfs(tone(500, 16_000, 1000)), 1);
  });

  it('are fetched once for any number of calls', async () => {
    serve(wavOf(500, 16_000, 500));
    const library = new ClipLibrary({ outbound, clock: systemClock });
    const clips = await Promise.all([1, 2, 3].map(() => library.load(`${url}/b.wav`, 16_000, UNSIGNED)));
    clips.push(await library.load(`${url}/b.wav`, 16_000, UNSIGNED));
    expect(new Set(clips).size).toBe(1);
    expect(asked).toEqual(['/b.wav']);
  });

  it('are evicted in least-recently-used order when the cache is full', async () => {
    serve(wavOf(500, 16_000, 1200));
    const clipBytes = 16_000 * 2;
    const library = new ClipLibrary({ outbound, clock: systemClock, maxCacheBytes: 2.5 * clipBytes });
    for (const name of ['1', '2', '1', '3', '1', '2']) await library.load(`${url}/${name}`, 16_000, UNSIGNED);
    expect(asked).toEqual(['/1', '/2', '/3', '/2']);
    expect(library.cachedBytes).toBe(2 * clipBytes);
  });

  it('are cut after one minute without downloading the rest', async () => {
    let isCut = false;
    const cut = Promise.withResolvers<null>();
    answer = (request, response) => {
      request.socket.once('close', () => {
        isCut = true;
        cut.resolve(null);
      });
      response.write(buildWavHeader({ sampleRateHz: 8000 }));
      const second = new Uint8Array(16_000);
      const more = (): void => {
        while (!isCut && response.write(second));
        if (!isCut) response.once('drain', more);
      };
      more();
    };
    const clip = await new ClipLibrary({ outbound, clock: systemClock }).load(
      `${url}/endless.wav`,
      8000,
      UNSIGNED,
    );
    expect(clip).toHaveLength((60_000 - FADE_MS) * 8);
    await cut.promise;
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['not found', (response) => void response.writeHead(404).end(), 'status 404'],
    ['not a WAV file', (response) => void response.end('<html>not here</html>'), 'not a RIFF WAVE file'],
    [
      'a WAV file without audio',
      (response) => void response.end(encodeWav(new Int16Array(0), 8000)),
      'no audio',
    ],
    ['at an unsupported sample rate', (response) => void response.end(wavOf(500, 96_000, 100)), '96000 Hz'],
    ['cut off', (response) => void response.destroy(), 'closed before the response was complete'],
  ])(
    'that are %s are rejected with the reason and requested again for the next call',
    async (_, respond, reason) => {
      answer = (_request, response) => respond(response);
      const library = new ClipLibrary({ outbound, clock: systemClock });
      for (let attempt = 0; attempt < 2; attempt += 1) {
        await expect(library.load(`${url}/c.wav`, 16_000, UNSIGNED)).rejects.toMatchObject({
          code: 'background_audio_unavailable',
          message: expect.stringContaining(reason),
        });
      }
      expect(asked).toHaveLength(2);
      expect(library.cachedBytes).toBe(0);
    },
  );

  it('are requested with the signature of the call so that servers can authenticate it', async () => {
    const wav = wavOf(500, 16_000, 500);
    const secrets = ['one secret of theirs', 'another of theirs'];
    const verdicts: SignatureVerdict[] = [];
    answer = ({ headers }, response) => {
      const verdict = checkCallSignature(headers, secrets);
      verdicts.push(verdict);
      if (verdict === 'valid') response.end(wav);
      else response.writeHead(403).end();
    };
    const library = new ClipLibrary({ outbound, clock: systemClock });
    const load = (sharedSecrets: string[]) =>
      library.load(`${url}/e.wav`, 16_000, { callId: newId(), sharedSecrets });
    const clip = await load(secrets);
    await expect(load([])).rejects.toThrow('status 403');
    await expect(load(['a secret of another account'])).rejects.toThrow('status 403');
    expect(await load(secrets)).toBe(clip);
    expect(verdicts).toEqual(['valid', 'absent', 'invalid']);
  });

  it('are not fetched from forbidden networks', async () => {
    await using guarded = createOutboundHttp({ allowPrivateNetworks: [] });
    await expect(
      new ClipLibrary({ outbound: guarded, clock: systemClock }).load(`${url}/d.wav`, 16_000, UNSIGNED),
    ).rejects.toMatchObject({
      message:
        'The background audio cannot be played: the URL leads to a loopback address; OUTBOUND_ALLOW_PRIVATE can allow it.',
    });
    expect(asked).toEqual([]);
  });
});

describe.each(BACKGROUND_CLIP_NAMES)('the built-in clip %s', (name) => {
  it('has the same level at every rate, is quieter than speech and loops without a click', async () => {
    const library = new ClipLibrary({ outbound, clock: systemClock });
    const levels: number[] = [];
    for (const rateHz of [8000, 16_000, 48_000]) {
      const clip = await library.load(name, rateHz, UNSIGNED);
      expect(clip).toHaveLength((9800 * rateHz) / 1000);
      levels.push(levelDbfs(clip));
      const steps = Array.from(clip, (sample, i) => Math.abs((clip[(i + 1) % clip.length] ?? 0) - sample));
      expect(steps.at(-1)).toBeLessThanOrEqual(
        steps.slice(0, -1).reduce((most, step) => Math.max(most, step)),
      );
    }
    expect(Math.max(...levels)).toBeLessThan(-29);
    expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(4);
  });
});
