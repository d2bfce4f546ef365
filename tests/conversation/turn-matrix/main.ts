import { writeFile } from 'node:fs/promises';
import { playAll } from './play-all.ts';
import { TURN_TABLE_PATH, withTable } from './turn-table.ts';

/** Plays the scenes, says what came of them, and writes the table. */
const played = await playAll();
for (const [{ name, expected }, { turns, words }] of played) {
  process.stdout.write(`${turns === expected ? 'as expected' : 'DIFFERENT  '}  ${name}: ${turns}\n`);
  for (const said of words) process.stdout.write(`             "${said}"\n`);
}
await writeFile(
  TURN_TABLE_PATH,
  await withTable(new Map([...played].map(([scene, { turns }]) => [scene, turns]))),
);
