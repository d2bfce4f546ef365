import { isQuestion } from '../intents/echo.ts';
import type { Turn } from '../intents/intent.ts';
import { wordsOf, type OfferedTool } from './offered-tool.ts';
import { toolArguments } from './tool-arguments.ts';

export interface ChosenCall {
  name: string;
  arguments: Record<string, unknown>;
}

const ENOUGH_DESCRIPTION_WORDS = 2;

/** A tool that the caller names: every significant word of its name, or one of them if they mention a tool. */
export function namedTool(turn: Turn, tools: readonly OfferedTool[]): ChosenCall | undefined {
  const said = new Set(wordsOf(turn.callerText));
  const named = ({ nameWords }: OfferedTool): boolean =>
    said.has('tool') ? nameWords.some((word) => said.has(word)) : nameWords.every((word) => said.has(word));
  return firstCall(turn, tools.filter(({ purpose }) => purpose === 'other').filter(named));
}

/** A tool whose description shares words with the caller's, or a search tool for a question. */
export function describedTool(turn: Turn, tools: readonly OfferedTool[]): ChosenCall | undefined {
  const said = new Set(wordsOf(turn.words));
  const shared = ({ descriptionWords }: OfferedTool): number =>
    new Set(descriptionWords.filter((word) => said.has(word))).size;
  const described = tools
    .filter((tool) => tool.purpose === 'other' && shared(tool) >= ENOUGH_DESCRIPTION_WORDS)
    .sort((a, b) => shared(b) - shared(a));
  const searches = isQuestion(turn.words) ? tools.filter(({ purpose }) => purpose === 'search') : [];
  return firstCall(turn, [...described, ...searches]);
}

/** The tool that ends the call. */
export function hangUpTool(turn: Turn, tools: readonly OfferedTool[]): ChosenCall | undefined {
  return firstCall(
    turn,
    tools.filter(({ purpose }) => purpose === 'hang up'),
  );
}

function firstCall(turn: Turn, tools: readonly OfferedTool[]): ChosenCall | undefined {
  for (const tool of tools) {
    const args = toolArguments(turn, tool);
    if (args) return { name: tool.name, arguments: args };
  }
  return undefined;
}
