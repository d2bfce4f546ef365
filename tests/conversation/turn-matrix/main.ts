import { writeFile } from 'node:fs/promises';
import { playAll } from './play-all.ts';
import { RESULTS_PATH, withResults } from './results-page.ts';

/** Plays the scenes, reports the outcomes, and writes the table. */
const played = await playAll();
for (const [{ name, expected }, { turns, words }] of played) {
  process.stdout.write(`${turns === expected ? 'as expected' : 'DIFFERENT  '}  ${name}: ${turns}\n`);
  for (const said of words) process.stdout.write(`             "${said}"\n`);
}
await writeFile(
  RESULTS_PATH,
  await withResults(new Map([...played].map(([scene, { turns }]) => [scene, turns]))),
);
