/**
 * Loaded into a service before it starts (`--import`): adds each made-up vendor to the lists that name its kind, as a
 * developer would, by one entry in the text of a list.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

interface Entry {
  /** The module with the list, from the repository's root. */
  readonly list: string;
  readonly vendor: string;
  readonly names: readonly string[];
  readonly entry: string;
}

const ENTRIES: readonly Entry[] = [
  {
    list: 'packages/api-contract/src/vendors/tts-vendors.ts',
    vendor: 'whisper-town',
    names: ['whisperTown'],
    entry: 'whisperTown',
  },
  {
    list: 'packages/providers/src/tts/adapters.ts',
    vendor: 'whisper-town',
    names: ['createWhisperTown'],
    entry: 'provider99: createWhisperTown',
  },
  { list: 'packages/providers/src/stt/stt-vendors.ts', vendor: 'parrot', names: ['parrot'], entry: 'parrot' },
  { list: 'packages/providers/src/llm/llm-vendors.ts', vendor: 'oracle', names: ['oracle'], entry: 'oracle' },
  {
    list: 'packages/api-contract/src/vendors/telephony-vendors.ts',
    vendor: 'tin-can',
    names: ['tinCan'],
    entry: 'tinCan',
  },
  {
    list: 'packages/transports/src/telephony/dialects/index.ts',
    vendor: 'tin-can',
    names: ['tinCanDialect'],
    entry: 'telephony99: tinCanDialect',
  },
  {
    list: 'services/control-plane/src/telephony/vendors/telephony-adapters.ts',
    vendor: 'tin-can',
    names: ['tinCanAdapter'],
    entry: 'telephony99: tinCanAdapter',
  },
];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const added = ENTRIES.find(({ list }) => url.endsWith(`/${list}`));
    return added ? { ...loaded, source: withEntry(readFileSync(new URL(url), 'utf8'), added) } : loaded;
  },
});

/** `source` with the entry at the beginning of the list in capitals that it exports. */
function withEntry(source: string, { list, vendor, names, entry }: Entry): string {
  const { href } = new URL(`${vendor}.ts`, import.meta.url);
  const changed = source.replace(/^export const [A-Z_]+\b[^=]* = [[{]/mu, (begin) => `${begin} ${entry},`);
  if (changed === source) throw new Error(`${list} has no list`);
  return `import { ${names.join(', ')} } from '${href}';\n${changed}`;
}
