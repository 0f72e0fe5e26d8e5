import type { DockerfileImage } from './dockerfile-image.js';

/** Makes images for a runtime that has them. */
export interface ImageBuilder {
  /** Of this machine's own git, shell, node and what they load; what was made of earlier ones is removed. IMAGE_MISSING. */
  buildFromMachine(): Promise<BuiltImage>;
  /** IMAGE_MISSING, with the last line of what building it said. */
  buildFromDockerfile(dockerfile: DockerfileImage, onOutput?: BuildOutput): Promise<BuiltImage>;
}

export interface BuiltImage {
  readonly image: string;
  /** False when it was there already. */
  readonly isNew: boolean;
  readonly bytes: number;
}

export type BuildOutput = (chunk: Buffer) => void;
