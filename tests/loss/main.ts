import { wordErrorRate } from '@calls/foundation/word-error-rate';
import { PERFECT_LINK, type LinkConditions } from '../support/lossy-link.ts';
import { WebRtcServer } from '../support/webrtc/web-rtc-server.ts';
import { LossyCall } from './lossy-call.ts';
import { LossyPage } from './lossy-page.ts';
import { measure, openSpeechToText, type Case } from './measure.ts';
import { sentences } from './speech.ts';

/** Measures transcription of speech over lossy networks and prints the tables for docs/internals/webrtc.md. `calls`: only real-time cases through mediasoup; `page`: only agent audio in a browser; `parts`: only cases in virtual time.
 */
const link = (fields: Partial<LinkConditions>): LinkConditions => ({
  ...PERFECT_LINK,
  delayMs: 30,
  keepsOrder: false,
  ...fields,
});
const BOTH = 'recovery and concealment' as const;
const CASES: readonly Case[] = [
  { link: link({}), repair: BOTH },
  { link: link({ lossPercent: 3 }), repair: BOTH },
  { link: link({ lossPercent: 3 }), repair: 'concealment' },
  { link: link({ lossPercent: 3 }), repair: 'silence' },
  { link: link({ lossPercent: 10 }), repair: BOTH },
  { link: link({ lossPercent: 10 }), repair: BOTH, repeatAfterMs: 40 },
  { link: link({ lossPercent: 10 }), repair: 'concealment' },
  { link: link({ lossPercent: 10 }), repair: 'silence' },
  { link: link({ jitterMs: 50 }), repair: BOTH },
  { link: link({ lossPercent: 3, jitterMs: 50 }), repair: BOTH },
  { link: link({ lossPercent: 10, jitterMs: 50 }), repair: BOTH },
  { link: link({ lossPercent: 10, jitterMs: 50 }), repair: 'silence' },
  { link: link({ lossPercent: 20 }), repair: BOTH },
  { link: link({ lossPercent: 20 }), repair: 'silence' },
];
const CALLS: readonly LinkConditions[] = [
  link({}),
  link({ lossPercent: 3 }),
  link({ lossPercent: 10 }),
  link({ jitterMs: 50 }),
  link({ lossPercent: 3, jitterMs: 50 }),
  link({ lossPercent: 10, jitterMs: 50 }),
];

function row(...cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

const JOINS = 20;

const percent = (share: number): string => `${share.toFixed(1)} %`;
const seconds = (ms = 0): string => `${(ms / 1000).toFixed(1)} s`;

await using stt = openSpeechToText();
const [which = 'all'] = process.argv.slice(2);
const is = (name: string): boolean => which === 'all' || which === name;
if (is('parts')) await measureParts();
if (is('calls')) await measureCalls();
if (is('page')) await measurePage();

async function measureParts(): Promise<void> {
  const said = await sentences();
  row(
    'loss',
    'jitter',
    'what is done about it',
    'given up',
    'of it recovered',
    'delay',
    'distance',
    'word errors',
  );
  for (const one of CASES) {
    const result = await measure(one, said, stt.recognise);
    const repeated = one.repeatAfterMs === undefined ? '' : `repeats after ${one.repeatAfterMs} ms, `;
    row(
      `${one.link.lossPercent} %`,
      `±${one.link.jitterMs} ms`,
      repeated + one.repair,
      percent(result.lostPercent),
      percent(result.recoveredPercent),
      `${result.delayMs.toFixed(0)} ms`,
      `${result.spectralDistanceDb.toFixed(1)} dB`,
      percent(result.wordErrorPercent),
    );
  }
}

async function measureCalls(): Promise<void> {
  const said = await sentences();
  const text = said.map((sentence) => sentence.text).join(' ');
  await using server = await WebRtcServer.start();
  row('loss', 'jitter', 'packets lost on the way', 'word errors');
  for (const [i, conditions] of CALLS.entries()) {
    await using call = await LossyCall.join(server, `127.0.0.${i + 2}`, conditions);
    const transcripts: string[] = [];
    for (const { samples } of said) transcripts.push(await stt.recognise(await call.say(samples)));
    const { lost, arrived } = call.relay.toServer;
    row(
      `${conditions.lossPercent} %`,
      `±${conditions.jitterMs} ms`,
      percent((100 * lost) / (lost + arrived)),
      percent(100 * wordErrorRate(text, transcripts.join(' '))),
    );
  }
}

async function measurePage(): Promise<void> {
  const said = await sentences();
  const text = said.map((sentence) => sentence.text).join(' ');
  await using page = await LossyPage.open(PERFECT_LINK);
  row('loss', 'jitter', 'joined after: half, all', 'made up', 'waits in the browser', 'word errors');
  for (const conditions of CALLS) {
    page.relay.setConditions(conditions);
    const joinsMs = [await page.join()];
    while (joinsMs.length < JOINS) {
      await page.leave();
      joinsMs.push(await page.join());
    }
    joinsMs.sort((a, b) => a - b);
    const recognised: Promise<string>[] = [];
    for (const { samples } of said) recognised.push(stt.recognise(await page.hear(samples)));
    const { concealedPercent, bufferMs } = await page.playout();
    await page.leave();
    const transcripts = await Promise.all(recognised);
    row(
      `${conditions.lossPercent} %`,
      `±${conditions.jitterMs} ms`,
      `${seconds(joinsMs[Math.floor(JOINS / 2)])}, ${seconds(joinsMs.at(-1))}`,
      percent(concealedPercent),
      `${bufferMs.toFixed(0)} ms`,
      percent(100 * wordErrorRate(text, transcripts.join(' '))),
    );
  }
}
