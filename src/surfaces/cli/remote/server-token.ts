import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, errnoOf, ignoreMissing } from '../../../domain/error/error.js';
import { absolutePath, type Session } from '../cli-session.js';

export interface FoundToken {
  readonly value: string;
  /** Where it comes from, for messages. */
  readonly source: string;
}

export interface TokenQuery {
  readonly server: string;
  readonly isHere: boolean;
  /** What the user named. */
  readonly file: string | undefined;
}

/** The token for a server. The token of this machine's server is never sent to another machine. SERVER_TOKEN_MISSING. */
export async function findToken(session: Session, { server, isHere, file }: TokenQuery): Promise<FoundToken> {
  const { CARREL_TOKEN: fromEnvironment } = session.environment;
  if (file === undefined && fromEnvironment)
    return { value: requireToken(fromEnvironment, server, 'CARREL_TOKEN'), source: 'CARREL_TOKEN' };
  if (file === undefined && !isHere)
    throw carrelError('SERVER_TOKEN_MISSING', {
      server,
      problem: 'the server is on another machine and no token was given',
    });
  const place = file === undefined ? await findOwnFile(session) : absolutePath(session, file);
  const text = await read(place, server);
  if (text === undefined) {
    const problem =
      file === undefined ? `${place} does not exist; no server has run here yet` : `${place} does not exist`;
    throw carrelError('SERVER_TOKEN_MISSING', { server, problem });
  }
  return { value: requireToken(text, server, place), source: place };
}

async function findOwnFile({ environment }: Session): Promise<string> {
  const { findPlaces } = await import('../../../app.js');
  return join(findPlaces(environment).stateDir, 'server', 'token');
}

async function read(file: string, server: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8').catch(ignoreMissing);
  } catch (error) {
    const problem = `cannot read ${file} (${errnoOf(error)})`;
    throw carrelError('SERVER_TOKEN_MISSING', { server, problem }, error);
  }
}

/** Characters that a header can have; anything else is some other file. */
function requireToken(text: string, server: string, source: string): string {
  const token = text.trim();
  if (/^[\w.~+/=-]{1,500}$/.test(token)) return token;
  throw carrelError('SERVER_TOKEN_MISSING', { server, problem: `${source} does not contain a token` });
}
