import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declaredVariables } from './reference-lists.ts';

const FOLDER = join(import.meta.dirname, '../../docs/reference/configuration');

/** The environment variables that the configuration reference lists or mentions. */
export function documentedVariables(): string[] {
  const texts = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)[`=]/gu)]);
  return [
    ...new Set([...declaredVariables().map(({ name }) => name), ...named.map(([, name = '']) => name)]),
  ];
}
