import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TELEPHONY_ACCOUNT_VENDORS } from '@calls/api-contract/vendors/telephony-vendors';
import { KEYED_TTS_VENDORS } from '@calls/api-contract/vendors/tts-vendors';
import type { EndpointDescriptor } from './config/endpoint.ts';
import { TTS_ENDPOINT } from './config/provider-config.ts';
import { hostedLlmVendors } from './llm/llm-vendors.ts';
import { hostedSttVendors } from './stt/stt-vendors.ts';

/** A table row; the first cell is the name of a variable. */
type Row = readonly [name: string, ...cells: string[]];

interface Table {
  readonly heading: string;
  readonly header: Row;
  readonly rows: readonly Row[];
}

const llmRows = hostedLlmVendors().flatMap(({ endpoint }) =>
  endpointRows(endpoint, [['AUDIO_INPUT', 'false', 'the model accepts `input_audio` parts']]),
);
const sttRows: Row[] = [
  ...hostedSttVendors().flatMap(({ endpoint }) => endpointRows(endpoint)),
  ['STT_FALLBACK', '`none`', '`local`: the local engine replaces a failing server'],
];
const ttsRows = endpointRows(TTS_ENDPOINT, [
  ['VOICES', '`alloy`', 'voices of that server, as in `alloy:en-US,nova`; first: default'],
]);

/** The variables of all engines, from the vendors' descriptors. */
export const engineVariables: readonly string[] = [...llmRows, ...sttRows, ...ttsRows].map(([name]) => name);

function endpointRows(
  { prefix, fallbackPrefix, defaultModel, server }: EndpointDescriptor,
  own: readonly Row[] = [],
): Row[] {
  const rows = (of: string, what: string): Row[] => [
    [`${of}_BASE_URL`, 'none', what],
    [
      `${of}_MODEL`,
      defaultModel === null ? 'required with URL' : code(defaultModel),
      "the model's name there",
    ],
    [`${of}_API_KEY`, 'none', 'the key for that server'],
    ...own.map(([suffix, ...cells]): Row => [`${of}_${suffix}`, ...cells]),
  ];
  const fallback = 'a second server, used if the first one fails';
  return [...rows(prefix, server), ...(fallbackPrefix === undefined ? [] : rows(fallbackPrefix, fallback))];
}

/** Files with parts that are generated from the vendors' descriptors. */
const FILES: Readonly<Record<string, (text: string) => string>> = {
  'docs/reference/configuration/engines.md'(text) {
    const header: Row = ['variable', 'default', 'meaning'];
    const providers = KEYED_TTS_VENDORS.map(({ name, endpoint }): Row => [
      endpoint.variable,
      code(endpoint.url),
      name,
    ]);
    const tables: readonly Table[] = [
      { heading: '## Language model', header, rows: llmRows },
      { heading: '## Speech to text', header, rows: sttRows },
      { heading: '## Text to speech', header, rows: ttsRows },
      { heading: '### Voices of providers', header: ['variable', 'default', 'provider'], rows: providers },
    ];
    return tables.reduce(withTable, text);
  },
  'docs/reference/configuration/media.md': (text) =>
    withTable(text, {
      heading: '## Telephony providers',
      header: ['variable', 'read by', 'default', 'provider'],
      rows: TELEPHONY_ACCOUNT_VENDORS.map(({ name, account: { endpoint } }) => [
        endpoint.variable,
        'C',
        code(endpoint.url),
        name,
      ]),
    }),
  'docker-compose.yml': (text) =>
    withLines(
      text,
      engineVariables.map((name) => `  ${name}: \${${name}:-}`),
    ),
  '.env.example': (text) =>
    withLines(
      text,
      engineVariables.map((name) => `${name}=`),
    ),
};

/** Current and expected content of the files. */
export function generateFiles(): { path: string; current: string; generated: string }[] {
  return Object.entries(FILES).map(([name, generate]) => {
    const path = fileURLToPath(new URL(`../../../${name}`, import.meta.url));
    const current = readFileSync(path, 'utf8');
    return { path, current, generated: generate(current) };
  });
}

/** Replaces the first table after a heading. */
function withTable(text: string, { heading, header, rows }: Table): string {
  const lines = text.split('\n');
  const at = lines.indexOf(heading);
  const first = lines.findIndex((line, index) => index > at && line.startsWith('|'));
  if (at < 0 || first < 0) throw new Error(`no table after "${heading}"`);
  const end = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  return lines.toSpliced(first, end - first, ...table(header, rows)).join('\n');
}

function table(header: Row, rows: readonly Row[]): string[] {
  const all: readonly Row[] = [header, ...rows.map(([name, ...cells]): Row => [code(name), ...cells])];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const [first = '', ...others] = all.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return [first, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...others];
}

/** Replaces the lines between two markers. */
function withLines(text: string, inside: readonly string[]): string {
  const lines = text.split('\n');
  const [first, end] = ['begin', 'end'].map((which) =>
    lines.findIndex((line) => line.trim() === `# ${which} engines (npm run generate)`),
  );
  if (first === undefined || end === undefined || first < 0 || end < first) throw new Error('no markers');
  return lines.toSpliced(first + 1, end - first - 1, ...inside).join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) for (const { path, generated } of generateFiles()) writeFileSync(path, generated);
