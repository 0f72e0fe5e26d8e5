import type { DockerfileImage } from './dockerfile-image.js';

/** Builds images for a runtime that supports them. */
export interface ImageBuilder {
  /**
   * From this machine's own git, shell, node and what they load; images with earlier programs are removed.
   * IMAGE_MISSING.
   */
  buildFromMachine(): Promise<BuiltImage>;
  /** IMAGE_MISSING, with the last line of the build's output. */
  buildFromDockerfile(dockerfile: DockerfileImage, onOutput?: BuildOutput): Promise<BuiltImage>;
}

export interface BuiltImage {
  readonly image: string;
  /** False when it already existed. */
  readonly isNew: boolean;
  readonly bytes: number;
}

export type BuildOutput = (chunk: Buffer) => void;
