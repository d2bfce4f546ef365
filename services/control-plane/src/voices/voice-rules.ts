import { urlRefusal, type UrlGuard } from '@calls/call-lifecycle/creation/url-rules';
import type { Issue } from '@calls/foundation/schema/validator';

/** Issues of a voice that its schema does not cover. Provider settings are validated only by the provider. */
export function voiceIssues(body: unknown, guard: UrlGuard): Issue[] {
  const { primaryLanguage, definition } = fieldsOf(body);
  return [
    ...languageTagIssues('primaryLanguage', primaryLanguage),
    ...urlIssues(fieldsOf(fieldsOf(definition)['generic'])['url'], guard),
  ];
}

function urlIssues(url: unknown, guard: UrlGuard): Issue[] {
  const message = typeof url === 'string' && URL.canParse(url) ? urlRefusal(guard, url) : null;
  return message === null ? [] : [{ path: 'definition.generic.url', message }];
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Issues of a BCP 47 language tag. Values that are not text are left to the schema. */
export function languageTagIssues(path: string, tag: unknown): Issue[] {
  if (typeof tag !== 'string') return [];
  try {
    Intl.getCanonicalLocales(tag);
    return [];
  } catch {
    return [{ path, message: 'must be a BCP 47 language tag, such as "en-GB"' }];
  }
}
