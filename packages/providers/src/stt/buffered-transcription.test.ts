import { describe, expect, it } from '@jest/globals';
import type { InterimTranscript, Transcript } from '@calls/engine-ports/speech-to-text';
import { silentLogger } from '@calls/foundation/logger';
import { settle } from '@calls/foundation/virtual-clock';
import { collect } from '@calls/testkit/collect';
import { BufferedTranscription } from './buffered-transcription.ts';

/** 16 kHz. */
const SAMPLES_PER_MS = 16;

interface Request {
  lengthMs: number;
  signal: AbortSignal;
  answer: (text: string) => void;
  fail: () => void;
}

/** An utterance whose requests the test answers. */
function utterance(options: { mayStart: () => boolean } | null) {
  const requests = { interim: [] as Request[], final: [] as Request[] };
  const requestTo = (list: Request[]) => (pcm: Uint8Array, signal: AbortSignal) =>
    new Promise<Transcript>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      list.push({
        lengthMs: pcm.length / 2 / SAMPLES_PER_MS,
        signal,
        answer: (text) => resolve({ text }),
        fail: () => reject(new Error('the engine failed')),
      });
    });
  const stream = new BufferedTranscription({
    provider: 'test',
    maxUtteranceMs: 10_000,
    log: silentLogger,
    signal: new AbortController().signal,
    transcribe: requestTo(requests.final),
    ...(options && { interim: { mayStart: options.mayStart, transcribe: requestTo(requests.interim) } }),
  });
  return {
    stream,
    requests,
    /** In frames of 20 ms. */
    push: (durationMs: number) => {
      for (let ms = 0; ms < durationMs; ms += 20) stream.push(new Int16Array(20 * SAMPLES_PER_MS));
    },
  };
}

describe('interim transcripts of a BufferedTranscription', () => {
  it('cover the first second and then at least 400 ms more each', async () => {
    const { stream, requests, push } = utterance({ mayStart: () => true });
    const received: InterimTranscript[] = [];
    const reading = (async () => {
      for await (const interim of stream.interims) received.push(interim);
    })();
    push(1380);
    expect(requests.interim.map(({ lengthMs }) => lengthMs)).toEqual([1000]);
    requests.interim[0]?.answer('I would');
    await settle();
    push(220);
    expect(requests.interim.map(({ lengthMs }) => lengthMs)).toEqual([1000, 1400]);
    requests.interim[1]?.answer('I would like');
    await settle();
    expect(received).toEqual([
      { text: 'I would', coveredSamples: 16_000 },
      { text: 'I would like', coveredSamples: 22_400 },
    ]);
    stream.close();
    await reading;
  });

  it('are made one at a time, and only when the engine has time', async () => {
    let isIdle = false;
    const { stream, requests, push } = utterance({ mayStart: () => isIdle });
    push(2000);
    expect(requests.interim).toHaveLength(0);
    isIdle = true;
    push(3000);
    expect(requests.interim.map(({ lengthMs }) => lengthMs)).toEqual([2020]);
    requests.interim[0]?.fail();
    await settle();
    push(20);
    expect(requests.interim.map(({ lengthMs }) => lengthMs)).toEqual([2020, 5020]);
    stream.close();
  });

  it('are aborted by finalize and close', async () => {
    const { stream, requests, push } = utterance({ mayStart: () => true });
    push(1000);
    const final = stream.finalize();
    expect(requests.interim[0]?.signal.reason).toMatchObject({ kind: 'superseded' });
    requests.final[0]?.answer('Yes.');
    expect(await final).toEqual({ text: 'Yes.' });
    push(400);
    stream.close();
    expect(requests.interim[1]?.signal.reason).toMatchObject({ kind: 'superseded' });
    expect(await collect(stream.interims)).toEqual([]);
  });

  it('do not exist without the option', () => {
    const { stream, requests, push } = utterance(null);
    push(3000);
    expect(requests.interim).toHaveLength(0);
    stream.close();
  });
});
