import type { Turn } from '../intents/intent.ts';
import { wordsOf, type OfferedTool, type ToolParameter } from './offered-tool.ts';

const PREPOSITIONS = new Set('about at by for from in near of on to with'.split(' '));
const TRAILING = new Set('now please right thanks today tomorrow'.split(' '));
const SPOKEN_NUMBERS = [
  ...'zero one two three four five six seven eight nine ten eleven twelve'.split(' '),
  ...'thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(' '),
];

/** Arguments for the tool from the caller's words; undefined if a required one is missing. */
export function toolArguments(turn: Turn, tool: OfferedTool): Record<string, unknown> | undefined {
  const numbers = numbersIn(turn.words);
  const text = textParameter(tool);
  const values: Record<string, unknown> = {};
  for (const parameter of tool.parameters) {
    const value = parameter === text ? textFor(parameter, turn, tool) : valueFor(parameter, turn, numbers);
    if (value !== undefined) values[parameter.name] = value;
    else if (parameter.required) return undefined;
  }
  return values;
}

/** The parameter for free text: the first required one, or else the only one. */
function textParameter({ parameters }: OfferedTool): ToolParameter | undefined {
  const free = parameters.filter(
    ({ schema }) =>
      schema['type'] === 'string' && !('enum' in schema) && !('pattern' in schema) && !('format' in schema),
  );
  return free.find(({ required }) => required) ?? (free.length === 1 ? free[0] : undefined);
}

function textFor({ name }: ToolParameter, { callerText }: Turn, tool: OfferedTool): string | undefined {
  if (/query|question|search/i.test(name)) return callerText.replace(/[\s.?!…]+$/u, '');
  if (/^reason$/i.test(name)) return 'The caller asked for it.';
  return lastObject(callerText, tool.nameWords);
}

/** The words after the last preposition: `Paris` in "what's the weather in Paris today?". */
function lastObject(callerText: string, nameWords: readonly string[]): string | undefined {
  const tokens = callerText
    .split(/\s+/)
    .map((token) => token.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''));
  while (TRAILING.has(tokens.at(-1)?.toLowerCase() ?? '')) tokens.pop();
  const at = tokens.findLastIndex((token) => PREPOSITIONS.has(token.toLowerCase()));
  if (at < 0) return undefined;
  const object = tokens.slice(/^the$/i.test(tokens[at + 1] ?? '') ? at + 2 : at + 1).filter(Boolean);
  const aboutTool = object.every((token) => wordsOf(token).every((word) => nameWords.includes(word)));
  return aboutTool ? undefined : object.join(' ');
}

function valueFor({ schema }: ToolParameter, { words }: Turn, numbers: number[]): unknown {
  if (Array.isArray(schema['enum'])) {
    const said = wordsOf(words);
    return (schema['enum'] as unknown[]).find(
      (value) => typeof value === 'string' && wordsOf(value).every((word) => said.includes(word)),
    );
  }
  if (schema['type'] === 'number') return numbers.shift();
  if (schema['type'] === 'integer' && Number.isInteger(numbers[0])) return numbers.shift();
  return undefined;
}

function numbersIn(words: string): number[] {
  const found = words.match(/\d+(?:\.\d+)?|\p{L}+/gu) ?? [];
  return found.flatMap((word) => {
    const spoken = SPOKEN_NUMBERS.indexOf(word);
    if (spoken >= 0) return [spoken];
    return /^\d/.test(word) ? [Number(word)] : [];
  });
}
