import type { ModelTool } from '@calls/engine-ports/language-model';
import { isJsonObject } from '@calls/foundation/json-object';

/** A tool in the form that the script needs. */
export interface OfferedTool {
  name: string;
  /** Significant words of its name, in lower case. */
  nameWords: readonly string[];
  descriptionWords: readonly string[];
  parameters: readonly ToolParameter[];
  purpose: 'hang up' | 'search' | 'other';
}

export interface ToolParameter {
  name: string;
  schema: Readonly<Record<string, unknown>>;
  required: boolean;
}

const VERBS = new Set(
  'a an and by check current do fetch find for from get give in look lookup make my of on or query read show tell the to tool up'.split(
    ' ',
  ),
);
const MIN_DESCRIPTION_WORD_CHARACTERS = 4;
const FILLERS = new Set(
  'about call calls from gives given have into looks returns that them they this user with your'.split(' '),
);

export function viewTool({ name, description, parameters }: ModelTool): OfferedTool {
  const words = wordsOf(name);
  const telling = words.filter((word) => !VERBS.has(word));
  const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {};
  const required: readonly unknown[] = Array.isArray(parameters['required']) ? parameters['required'] : [];
  const about = `${words.join(' ')}: ${description.toLowerCase()}`;
  return {
    name,
    nameWords: telling.length > 0 ? telling : words,
    descriptionWords: wordsOf(description).filter(
      (word) => word.length >= MIN_DESCRIPTION_WORD_CHARACTERS && !FILLERS.has(word) && !VERBS.has(word),
    ),
    parameters: Object.entries(properties).map(([parameter, schema]) => ({
      name: parameter,
      schema: isJsonObject(schema) ? schema : {},
      required: required.includes(parameter),
    })),
    purpose: purposeOf(about, properties),
  };
}

function purposeOf(about: string, properties: Readonly<Record<string, unknown>>): OfferedTool['purpose'] {
  if (/^hang ?up\b|^end (?:the )?call\b|: (?:hangs up|ends the call)/.test(about)) return 'hang up';
  if ('query' in properties && /\bcorpus\b|\bknowledge base\b|\bpassages\b/.test(about)) return 'search';
  return 'other';
}

/** In lower case, without a plural `s`; `camelCase` is two words. */
export function wordsOf(text: string): string[] {
  const split = text.replace(/([a-z])([A-Z])/g, '$1 $2');
  const words = split.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word));
}
