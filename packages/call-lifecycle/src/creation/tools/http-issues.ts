import { TOOL_METHODS, type BaseToolDefinition } from '@calls/api-contract/rest/tool';
import type { Issue } from '@calls/foundation/schema/validator';
import { headerNameIssue } from '../header-issues.ts';
import { fillPlaceholders, placeholdersIn, takesBody, type Parameter } from './parameters.ts';

/** Why requests to a URL are not allowed, or null. */
export type UrlRule = (url: URL) => string | null;

/** Headers that the service or its HTTP client sets. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|content-type|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|x-svc-.*)$/iu;

/** Checks the method and URL of an HTTP tool, and the locations of its parameters. */
export function httpIssues(
  http: NonNullable<BaseToolDefinition['http']>,
  parameters: readonly Parameter[],
  urlRule: UrlRule,
): Issue[] {
  const { httpMethod, baseUrlPattern } = http;
  const issues: Issue[] = [];
  if (httpMethod === undefined) issues.push({ path: 'http.httpMethod', message: 'is required' });
  else if (!TOOL_METHODS.some((method) => method === httpMethod.toUpperCase())) {
    issues.push({ path: 'http.httpMethod', message: `must be one of ${TOOL_METHODS.join(', ')}` });
  } else if (!takesBody(httpMethod)) {
    issues.push(
      ...parameters
        .filter(({ location }) => location === 'PARAMETER_LOCATION_BODY')
        .map(({ list, index }) => ({
          path: `${list}.${index}.location`,
          message: `must not be PARAMETER_LOCATION_BODY: ${httpMethod.toUpperCase()} requests have no body`,
        })),
    );
  }
  if (baseUrlPattern === undefined) issues.push({ path: 'http.baseUrlPattern', message: 'is required' });
  else issues.push(...patternIssues(baseUrlPattern, parameters, urlRule));
  issues.push(...headerIssues(parameters));
  return issues;
}

/** Checks a URL without placeholders for parameters. */
export function urlIssues(text: string, path: string, urlRule: UrlRule): Issue[] {
  const issue = (message: string): Issue[] => [{ path, message }];
  if (!/^https?:\/\//iu.test(text) || !URL.canParse(text)) return issue('must be an http or https URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    return issue('must not contain credentials; set them in requirements.httpSecurityOptions');
  }
  const refusal = urlRule(url);
  return refusal === null ? [] : issue(refusal);
}

function patternIssues(pattern: string, parameters: readonly Parameter[], urlRule: UrlRule): Issue[] {
  const path = 'http.baseUrlPattern';
  const issue = (message: string): Issue[] => [{ path, message }];
  const placeholders = placeholdersIn(pattern);
  const filled = fillPlaceholders(pattern, () => 'x');
  if (!/^https?:\/\//iu.test(pattern) || !URL.canParse(filled)) return issue('must be an http or https URL');
  const [beforePath = ''] = /^https?:\/\/[^/?#]*/iu.exec(pattern) ?? [];
  const [, afterPath = ''] = /[?#](.*)$/su.exec(pattern) ?? [];
  if (/[{}]/u.test(beforePath) || /[{}]/u.test(afterPath) || /[{}]/u.test(filled)) {
    return issue('must have placeholders for parameters, such as {id}, only in its path');
  }
  const issues = urlIssues(filled, path, urlRule);
  if (issues.length > 0) return issues;
  const inPath = parameters.filter(({ location }) => location === 'PARAMETER_LOCATION_PATH');
  return [
    ...placeholders
      .filter((place) => !inPath.some(({ name }) => name === place))
      .map((place) => ({ path, message: `has a placeholder {${place}} that no path parameter fills` })),
    ...inPath
      .filter(({ name }) => !placeholders.includes(name))
      .map(({ list, index, name }) => ({
        path: `${list}.${index}.location`,
        message: `must not be PARAMETER_LOCATION_PATH: the URL has no placeholder {${name}}`,
      })),
  ];
}

function headerIssues(parameters: readonly Parameter[]): Issue[] {
  return parameters
    .filter(({ location }) => location === 'PARAMETER_LOCATION_HEADER')
    .flatMap(({ list, index, name }) => {
      const message = toolHeaderIssue(name);
      return message === null ? [] : [{ path: `${list}.${index}.name`, message }];
    });
}

/** Why a tool must not set the header, or null. */
export function toolHeaderIssue(name: string): string | null {
  return (
    headerNameIssue(name) ?? (OWN_HEADERS.test(name) ? 'must not be a header that the service sets' : null)
  );
}
