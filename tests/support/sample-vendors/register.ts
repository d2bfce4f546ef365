/**
 * Preloaded into a service (`--import`): adds each fictitious vendor to the list of its kind by changing the source of
 * the list, as a developer would.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

interface Entry {
  /** Module with the list, relative to the root of the repository. */
  readonly list: string;
  readonly vendor: string;
  readonly names: readonly string[];
  readonly entry: string;
}

const ENTRIES: readonly Entry[] = [
  {
    list: 'packages/providers/src/tts/tts-vendors.ts',
    vendor: 'whisper-town',
    names: ['createWhisperTown', 'whisperTown'],
    entry: '{ ...whisperTown, adapter: async () => createWhisperTown }',
  },
  { list: 'packages/providers/src/stt/stt-vendors.ts', vendor: 'parrot', names: ['parrot'], entry: 'parrot' },
  { list: 'packages/providers/src/llm/llm-vendors.ts', vendor: 'oracle', names: ['oracle'], entry: 'oracle' },
  {
    list: 'packages/providers/src/telephony/telephony-vendors.ts',
    vendor: 'tin-can',
    names: ['tinCan'],
    entry: 'tinCan',
  },
];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const added = ENTRIES.find(({ list }) => url.endsWith(`/${list}`));
    return added ? { ...loaded, source: withEntry(readFileSync(new URL(url), 'utf8'), added) } : loaded;
  },
});

/** Returns `source` with the entry at the start of its list. */
function withEntry(source: string, { list, vendor, names, entry }: Entry): string {
  const { href } = new URL(`${vendor}.ts`, import.meta.url);
  const changed = source.replace(/^(?:export )?const [A-Z_]+\b[^=]* = \[/mu, (begin) => `${begin} ${entry},`);
  if (changed === source) throw new Error(`${list} has no list`);
  return `import { ${names.join(', ')} } from '${href}';\n${changed}`;
}
