import { SECRET_MARK } from '@calls/foundation/schema/keywords';
import type { TelephonyAccount } from './telephony/telephony-vendor.ts';
import type { TtsVendor } from './tts/tts-vendor.ts';

/**
 * How a setting is entered: `list` separated by commas, `pairs` as lines of `Name: value`, `json` as JSON, or as one of
 * several options.
 */
export type FieldKind =
  | 'text'
  | 'number'
  | 'integer'
  | 'flag'
  | 'list'
  | 'pairs'
  | 'json'
  | { options: FieldOption[] };
export interface FieldOption {
  value: string;
  label: string;
}

/** A setting in a form. */
export interface FormField {
  /** Path within the vendor's settings: `voiceId`, `generationConfig.volume`. */
  path: string;
  label: string;
  kind: FieldKind;
  /** Always shown; other fields are shown on demand. */
  isMain: boolean;
}

/** A credential in a form. */
export interface CredentialField {
  name: string;
  label: string;
  description: string;
  /** Write-only: the API returns only its prefix, as `<name>Prefix`. */
  isSecret: boolean;
}

interface Schema {
  type?: string;
  enum?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
}

/** The form fields of a vendor's voice settings. */
export function formFields({ settings, mainFields, labels = {} }: TtsVendor): FormField[] {
  const main = new Set<string>(mainFields);
  return pathsOf(settings as Schema).map(([path, schema]) => ({
    path,
    label: labels[path] ?? labelOf(path),
    kind: kindOf(schema),
    isMain: main.has(path),
  }));
}

/** The form fields of the credentials that an account stores for a telephony vendor. */
export function credentialFields({ fields }: TelephonyAccount): CredentialField[] {
  return Object.entries(fields).map(([name, schema]) => ({
    name,
    label: labelOf(name).replaceAll(/\b(?:api|id|sid)\b/giu, (word) => word.toUpperCase()),
    description: 'description' in schema ? String(schema.description) : '',
    isSecret: SECRET_MARK in schema,
  }));
}

function pathsOf({ properties = {} }: Schema): [string, Schema][] {
  return Object.entries(properties).flatMap(([name, schema]): [string, Schema][] =>
    schema.properties
      ? pathsOf(schema).map(([inner, innerSchema]) => [`${name}.${inner}`, innerSchema])
      : [[name, schema]],
  );
}

function kindOf({ type, enum: values, items, patternProperties }: Schema): FieldKind {
  if (values) return { options: optionsOf(values) };
  if (type === 'boolean') return 'flag';
  if (type === 'number' || type === 'integer') return type;
  if (type === 'array' && items?.type === 'string') return 'list';
  if (type === 'string') return 'text';
  return Object.values(patternProperties ?? {})[0]?.type === 'string' ? 'pairs' : 'json';
}

/** The options of a setting. An enum with `X_UNSPECIFIED` has those that start with `X_`. */
function optionsOf(values: readonly string[]): FieldOption[] {
  const suffix = 'UNSPECIFIED';
  const prefix = values.find((value) => value.endsWith(suffix))?.slice(0, -suffix.length) ?? '';
  return values
    .filter((value) => value.startsWith(prefix) && !value.endsWith(suffix))
    .map((value) => ({ value, label: capitalized(value.slice(prefix.length).toLowerCase()) }));
}

/** `generationConfig.volume` → `Generation config: volume`. */
function labelOf(path: string): string {
  return capitalized(
    path
      .replaceAll(/([A-Z])/gu, ' $1')
      .toLowerCase()
      .replace('.', ': '),
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
