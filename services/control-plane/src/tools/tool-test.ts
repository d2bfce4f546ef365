import { HttpProblem } from '../problems/problem.ts';

export interface ToolTest {
  parameters?: Readonly<Record<string, unknown>>;
  authTokens?: Readonly<Record<string, string>>;
  /** The tool of an MCP server that is called. */
  mcpToolName?: string;
}

export interface ToolResponse {
  status: number;
  contentType: string | undefined;
  body: Buffer;
}

export function unprocessable(code: string, detail: string): HttpProblem {
  return new HttpProblem(422, code, detail);
}
