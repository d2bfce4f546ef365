import { parseArgs } from 'node:util';
import { wordErrorRate } from '@calls/foundation/word-error-rate';
import { oneOf } from '../../support/command-options.ts';
import { markdownTable } from '../../support/markdown-table.ts';
import { PERFECT_LINK, type LinkConditions } from '../../support/lossy-link.ts';
import { WebRtcServer } from '../../support/webrtc/web-rtc-server.ts';
import { LossyCall } from './lossy-call.ts';
import { LossyPage } from './lossy-page.ts';
import { measure, openSpeechToText, type Case, type Recognise } from './measure.ts';
import { sentences } from './speech.ts';

const PARTS = ['parts', 'calls', 'page'] as const;
type Part = (typeof PARTS)[number];

/**
 * The tables to print. `parts`: packets in virtual time; `calls`: the user's audio in real time, through mediasoup;
 * `page`: the agent's audio in a browser.
 */
export function readPacketLossOptions(args: readonly string[]): readonly Part[] {
  const options = { only: { type: 'string', default: PARTS.join(',') } } as const;
  const { values } = parseArgs({ args: [...args], options });
  return values.only.split(',').map((name) => oneOf('only', PARTS, name));
}

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
const JOINS = 20;

const percent = (share: number): string => `${share.toFixed(1)} %`;
const seconds = (ms = 0): string => `${(ms / 1000).toFixed(1)} s`;

/** Measures transcription of speech over lossy networks. Returns the tables of docs/internals/webrtc.md. */
export async function runPacketLoss(parts: readonly Part[], say: (line: string) => void): Promise<string> {
  await using stt = openSpeechToText();
  const measurePart = { parts: measureParts, calls: measureCalls, page: measurePage };
  const tables: string[] = [];
  for (const part of parts) {
    say(`measuring ${part}`);
    tables.push(await measurePart[part](stt.recognise));
  }
  return tables.join('\n\n');
}

async function measureParts(recognise: Recognise): Promise<string> {
  const said = await sentences();
  const rows: string[][] = [];
  for (const one of CASES) {
    const result = await measure(one, said, recognise);
    const repeated = one.repeatAfterMs === undefined ? '' : `repeats after ${one.repeatAfterMs} ms, `;
    rows.push([
      `${one.link.lossPercent} %`,
      `±${one.link.jitterMs} ms`,
      repeated + one.repair,
      percent(result.lostPercent),
      percent(result.recoveredPercent),
      `${result.delayMs.toFixed(0)} ms`,
      `${result.spectralDistanceDb.toFixed(1)} dB`,
      percent(result.wordErrorPercent),
    ]);
  }
  const head = [
    ...['loss', 'jitter', 'what is done about it', 'given up', 'of it recovered'],
    ...['delay', 'distance', 'word errors'],
  ];
  return markdownTable(head, rows);
}

async function measureCalls(recognise: Recognise): Promise<string> {
  const said = await sentences();
  const text = said.map((sentence) => sentence.text).join(' ');
  await using server = await WebRtcServer.start();
  const rows: string[][] = [];
  for (const [i, conditions] of CALLS.entries()) {
    await using call = await LossyCall.join(server, `127.0.0.${i + 2}`, conditions);
    const transcripts: string[] = [];
    for (const { samples } of said) transcripts.push(await recognise(await call.say(samples)));
    const { lost, arrived } = call.relay.toServer;
    rows.push([
      `${conditions.lossPercent} %`,
      `±${conditions.jitterMs} ms`,
      percent((100 * lost) / (lost + arrived)),
      percent(100 * wordErrorRate(text, transcripts.join(' '))),
    ]);
  }
  return markdownTable(['loss', 'jitter', 'packets lost on the way', 'word errors'], rows);
}

async function measurePage(recognise: Recognise): Promise<string> {
  const said = await sentences();
  const text = said.map((sentence) => sentence.text).join(' ');
  await using page = await LossyPage.open(PERFECT_LINK);
  const rows: string[][] = [];
  for (const conditions of CALLS) {
    page.relay.setConditions(conditions);
    const joinsMs = [await page.join()];
    while (joinsMs.length < JOINS) {
      await page.leave();
      joinsMs.push(await page.join());
    }
    joinsMs.sort((a, b) => a - b);
    const recognised: Promise<string>[] = [];
    for (const { samples } of said) recognised.push(recognise(await page.hear(samples)));
    const { concealedPercent, bufferMs } = await page.playout();
    await page.leave();
    const transcripts = await Promise.all(recognised);
    rows.push([
      `${conditions.lossPercent} %`,
      `±${conditions.jitterMs} ms`,
      `${seconds(joinsMs[Math.floor(JOINS / 2)])}, ${seconds(joinsMs.at(-1))}`,
      percent(concealedPercent),
      `${bufferMs.toFixed(0)} ms`,
      percent(100 * wordErrorRate(text, transcripts.join(' '))),
    ]);
  }
  const head = [
    'loss',
    'jitter',
    'joined after: half, all',
    'made up',
    'waits in the browser',
    'word errors',
  ];
  return markdownTable(head, rows);
}
