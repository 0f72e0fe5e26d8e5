import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, errnoOf, ignoreMissing } from '../domain/error.js';
import { absolutePath, type Session } from './session.js';

export interface FoundToken {
  readonly value: string;
  /** Where it is from, in words. */
  readonly source: string;
}

export interface TokenQuery {
  readonly server: string;
  readonly isHere: boolean;
  /** What the call names. */
  readonly file: string | undefined;
}

/** The token for a server. This machine's own is shown to nobody but this machine. SERVER_TOKEN_MISSING. */
export async function findToken(session: Session, { server, isHere, file }: TokenQuery): Promise<FoundToken> {
  const { CARREL_TOKEN: fromEnvironment } = session.environment;
  if (file === undefined && fromEnvironment)
    return { value: requireToken(fromEnvironment, server, 'CARREL_TOKEN'), source: 'CARREL_TOKEN' };
  if (file === undefined && !isHere)
    throw carrelError('SERVER_TOKEN_MISSING', {
      server,
      problem: 'it is another machine, and none was named',
    });
  const place = file === undefined ? await findOwnFile(session) : absolutePath(session, file);
  const text = await read(place, server);
  if (text === undefined) {
    const problem =
      file === undefined ? `no server has run here yet, ${place} is not there` : `${place} is not there`;
    throw carrelError('SERVER_TOKEN_MISSING', { server, problem });
  }
  return { value: requireToken(text, server, place), source: place };
}

async function findOwnFile({ environment }: Session): Promise<string> {
  const { findPlaces } = await import('../app.js');
  return join(findPlaces(environment).stateDir, 'server', 'token');
}

async function read(file: string, server: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8').catch(ignoreMissing);
  } catch (error) {
    const problem = `${file} can't be read (${errnoOf(error)})`;
    throw carrelError('SERVER_TOKEN_MISSING', { server, problem }, error);
  }
}

/** What a header can carry; anything else is some other file. */
function requireToken(text: string, server: string, source: string): string {
  const token = text.trim();
  if (/^[\w.~+/=-]{1,500}$/.test(token)) return token;
  throw carrelError('SERVER_TOKEN_MISSING', { server, problem: `what ${source} holds is no token` });
}
