import { PERFECT_LINK, type LinkConditions } from '../support/lossy-link.ts';
import { measure, openRecogniser, type Case } from './measure.ts';
import { sentences } from './speech.ts';

/** Measures what the recogniser makes of speech that came over bad networks; prints the table for docs/webrtc.md. */
const link = (fields: Partial<LinkConditions>): LinkConditions => ({
  ...PERFECT_LINK,
  delayMs: 30,
  keepsOrder: false,
  ...fields,
});
const BOTH = 'recovery and concealment' as const;
const cases: readonly Case[] = [
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

const said = await sentences();
await using recogniser = openRecogniser();
process.stdout.write(
  '| loss | jitter | what is done about it | given up | of it recovered | delay | distance | word errors |\n',
);
process.stdout.write(
  '| ---- | ------ | --------------------- | -------- | --------------- | ----- | -------- | ----------- |\n',
);
for (const one of cases) {
  const result = await measure(one, said, recogniser.recognise);
  const repeated = one.repeatAfterMs === undefined ? '' : `repeats after ${one.repeatAfterMs} ms, `;
  const cells = [
    `${one.link.lossPercent} %`,
    `±${one.link.jitterMs} ms`,
    repeated + one.repair,
    `${result.lostPercent.toFixed(1)} %`,
    `${result.recoveredPercent.toFixed(0)} %`,
    `${result.delayMs.toFixed(0)} ms`,
    `${result.spectralDistanceDb.toFixed(1)} dB`,
    `${result.wordErrorPercent.toFixed(1)} %`,
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
