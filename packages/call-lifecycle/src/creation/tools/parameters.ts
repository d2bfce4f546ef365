import type { BaseToolDefinition } from '@calls/api-contract/rest/tool';

export const PARAMETER_LISTS = ['dynamicParameters', 'staticParameters', 'automaticParameters'] as const;
export type ParameterList = (typeof PARAMETER_LISTS)[number];
type GivenLocation = NonNullable<BaseToolDefinition['dynamicParameters']>[number]['location'];
export type Location = Exclude<GivenLocation, undefined | 'PARAMETER_LOCATION_UNSPECIFIED'>;

export interface Parameter {
  list: ParameterList;
  index: number;
  name: string;
  location: Location;
}

/** All parameters of a definition, with their locations. */
export function parametersOf(definition: BaseToolDefinition): Parameter[] {
  return PARAMETER_LISTS.flatMap((list) =>
    (definition[list] ?? []).map((parameter, index) => ({
      list,
      index,
      name: parameter.name,
      location: locationOf(definition, parameter),
    })),
  );
}

/** Methods whose requests have no body. */
const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE'];

export function takesBody(httpMethod: string): boolean {
  return !WITHOUT_BODY.includes(httpMethod.toUpperCase());
}

/** The given location; otherwise the path if the URL contains the parameter, else the body, or the query for methods without one. */
export function locationOf(
  definition: BaseToolDefinition,
  { name, location }: { name: string; location?: GivenLocation },
): Location {
  if (location !== undefined && location !== 'PARAMETER_LOCATION_UNSPECIFIED') return location;
  const { http } = definition;
  if (!http) return 'PARAMETER_LOCATION_BODY';
  if (placeholdersIn(http.baseUrlPattern ?? '').includes(name)) return 'PARAMETER_LOCATION_PATH';
  return takesBody(http.httpMethod ?? '') ? 'PARAMETER_LOCATION_BODY' : 'PARAMETER_LOCATION_QUERY';
}

const PLACE = /\{([^{}]*)\}/gu;

/** `/users/{id}/orders/{order}` → `id`, `order`. */
export function placeholdersIn(urlPattern: string): string[] {
  return [...urlPattern.matchAll(PLACE)].map(([, name = '']) => name);
}

export function fillPlaceholders(urlPattern: string, valueOf: (name: string) => string): string {
  return urlPattern.replaceAll(PLACE, (_place, name: string) => valueOf(name));
}
