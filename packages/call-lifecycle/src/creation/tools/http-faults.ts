import type { BaseToolDefinition } from '@calls/api-contract/rest/tool';
import type { Fault } from '@calls/api-contract/validation/validator';
import { fillPlaces, placesIn, takesBody, type Parameter } from './parameters.ts';
import type { UrlRule } from './url-rule.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
/** Headers that the service or its HTTP client sets. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|content-type|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|x-svc-.*)$/iu;

/** Of an http tool: its method, its URL, and whether its parameters have a place there. */
export function httpFaults(
  http: NonNullable<BaseToolDefinition['http']>,
  parameters: readonly Parameter[],
  urlRule: UrlRule,
): Fault[] {
  const { httpMethod, baseUrlPattern } = http;
  const faults: Fault[] = [];
  if (httpMethod === undefined) faults.push({ path: 'http.httpMethod', message: 'is required' });
  else if (!METHODS.includes(httpMethod.toUpperCase())) {
    faults.push({ path: 'http.httpMethod', message: `must be one of ${METHODS.join(', ')}` });
  } else if (!takesBody(httpMethod)) {
    faults.push(
      ...parameters
        .filter(({ location }) => location === 'PARAMETER_LOCATION_BODY')
        .map(({ list, index }) => ({
          path: `${list}.${index}.location`,
          message: `must not be PARAMETER_LOCATION_BODY: ${httpMethod.toUpperCase()} requests have no body`,
        })),
    );
  }
  if (baseUrlPattern === undefined) faults.push({ path: 'http.baseUrlPattern', message: 'is required' });
  else faults.push(...urlFaults(baseUrlPattern, parameters, urlRule));
  faults.push(...headerFaults(parameters));
  return faults;
}

function urlFaults(pattern: string, parameters: readonly Parameter[], urlRule: UrlRule): Fault[] {
  const path = 'http.baseUrlPattern';
  const fault = (message: string): Fault[] => [{ path, message }];
  const places = placesIn(pattern);
  const filled = fillPlaces(pattern, () => 'x');
  if (!/^https?:\/\//iu.test(pattern) || !URL.canParse(filled)) return fault('must be an http or https URL');
  const [beforePath = ''] = /^https?:\/\/[^/?#]*/iu.exec(pattern) ?? [];
  const [, afterPath = ''] = /[?#](.*)$/su.exec(pattern) ?? [];
  if (/[{}]/u.test(beforePath) || /[{}]/u.test(afterPath) || /[{}]/u.test(filled)) {
    return fault('must have its places for parameters, such as {id}, in its path');
  }
  const url = new URL(filled);
  if (url.username !== '' || url.password !== '') {
    return fault('must not contain credentials; say how to authenticate in requirements.httpSecurityOptions');
  }
  const refusal = urlRule(url);
  if (refusal !== null) return fault(refusal);
  const inPath = parameters.filter(({ location }) => location === 'PARAMETER_LOCATION_PATH');
  return [
    ...places
      .filter((place) => !inPath.some(({ name }) => name === place))
      .map((place) => ({ path, message: `has a place {${place}} that no parameter in the path fills` })),
    ...inPath
      .filter(({ name }) => !places.includes(name))
      .map(({ list, index, name }) => ({
        path: `${list}.${index}.location`,
        message: `must not be PARAMETER_LOCATION_PATH: the URL has no place {${name}}`,
      })),
  ];
}

function headerFaults(parameters: readonly Parameter[]): Fault[] {
  return parameters
    .filter(({ location }) => location === 'PARAMETER_LOCATION_HEADER')
    .flatMap(({ list, index, name }) => {
      const message = headerNameFault(name);
      return message === null ? [] : [{ path: `${list}.${index}.name`, message }];
    });
}

/** What keeps a tool from setting the header, or null. */
export function headerNameFault(name: string): string | null {
  if (!HEADER_NAME.test(name)) return 'must be the name of an HTTP header';
  return OWN_HEADERS.test(name) ? 'must not be a header that the service sets' : null;
}
