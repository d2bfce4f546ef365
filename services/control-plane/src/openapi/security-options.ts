import type { ToolSecurityOptions } from '@calls/api-contract/rest/tool-requirements';
import { isJsonObject } from '@calls/foundation/json-object';
import { listAt, mapAt, OpenApiError, resolvedPart, textAt, type JsonMap } from './document.ts';

type Option = NonNullable<ToolSecurityOptions['options']>[number];
type Requirement = NonNullable<Option['requirements']>[string];

/**
 * The operation's security requirements as tool options. Leaves out schemes that tools do not support (cookies, client
 * certificates).
 */
export function securityOptions(document: JsonMap, operation: JsonMap): Option[] {
  const wanted = listAt(operation, 'security') ?? listAt(document, 'security') ?? [];
  const schemes = mapAt(mapAt(document, 'components'), 'securitySchemes');
  const byName = new Map<string, Requirement | null>();
  const requirementOf = (name: string): Requirement | null => {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const found = requirement(document, schemes, name);
    byName.set(name, found);
    return found;
  };
  const options = wanted.filter(isJsonObject).flatMap((names) => {
    const requirements = Object.keys(names).map((name) => [name, requirementOf(name)] as const);
    if (requirements.some(([, each]) => each === null)) return [];
    if (requirements.length === 0) return [{}];
    return [{ requirements: Object.fromEntries(requirements) as Record<string, Requirement> }];
  });
  if (wanted.length > 0 && options.length === 0) {
    throw new OpenApiError('requires a security scheme that tools do not support');
  }
  return options;
}

function requirement(document: JsonMap, schemes: JsonMap, name: string): Requirement | null {
  if (!Object.hasOwn(schemes, name))
    throw new OpenApiError(`refers to the unknown security scheme ${name.slice(0, 100)}`);
  const scheme = resolvedPart(document, schemes[name]);
  switch (textAt(scheme, 'type')) {
    case 'apiKey': {
      const key = { name: textAt(scheme, 'name') ?? '' };
      if (textAt(scheme, 'in') === 'header') return { headerApiKey: key };
      return textAt(scheme, 'in') === 'query' ? { queryApiKey: key } : null;
    }
    case 'http':
      return { httpAuth: { scheme: capitalized(textAt(scheme, 'scheme') ?? '') } };
    case 'oauth2':
    case 'openIdConnect':
      return { httpAuth: { scheme: 'Bearer' } };
    default:
      return null;
  }
}

/** The usual spelling of HTTP authentication schemes: Basic, Bearer, Digest. */
function capitalized(scheme: string): string {
  return scheme.slice(0, 1).toUpperCase() + scheme.slice(1);
}
