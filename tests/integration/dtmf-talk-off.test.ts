import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { DtmfDetector } from '@calls/audio/dtmf-detector';
import { dtmfTones } from '@calls/audio/dtmf-tones';
import { concatSamples } from '@calls/audio/pcm';
import { decodeWithSox } from '@calls/testkit/speech/decode-with-sox';
import { IS_LONG_FORM } from '@calls/testkit/long-form';

const RATE_HZ = 8000;
/** Recordings in Debian's asterisk-core-sounds-*-gsm: 2 h of speech of five people. */
const FOLDER = '/usr/share/asterisk/sounds';
/** The short form uses one recording in ten. */
const STEP = IS_LONG_FORM ? 1 : 10;

/** The recordings after one another: GSM files have no header. */
async function speech(): Promise<Int16Array> {
  const names = (await readdir(FOLDER, { recursive: true })).filter((name) =>
    /(?<!beep|tone)\.gsm$/u.test(name),
  );
  const chosen = names.toSorted().filter((_, i) => i % STEP === 0);
  const folder = await mkdtemp(join(tmpdir(), 'calls-speech-'));
  try {
    const path = join(folder, 'speech.gsm');
    await writeFile(
      path,
      Buffer.concat(await Promise.all(chosen.map((name) => readFile(join(FOLDER, name))))),
    );
    return await decodeWithSox(path, RATE_HZ);
  } finally {
    await rm(folder, { recursive: true });
  }
}

it('detects no DTMF keys in speech', async () => {
  const samples = await speech();
  expect(samples.length / RATE_HZ).toBeGreaterThan(500);
  for (const gain of [0.3, 1, 3]) {
    let keys = '';
    const detector = new DtmfDetector(RATE_HZ, (key) => {
      keys += key;
    });
    const louder = samples.map((sample) => Math.max(-32_768, Math.min(32_767, sample * gain)));
    detector.push(concatSamples([louder, dtmfTones('7', RATE_HZ)]));
    expect(keys).toBe('7');
  }
});
