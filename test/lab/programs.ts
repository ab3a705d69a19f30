// Everything the lab builds, and where each built file is.
import { join } from 'node:path';
import { goArtefacts } from './artefacts/go-programs.ts';
import { imagesArtefact } from './artefacts/images.ts';
import { kernelArtefact } from './artefacts/kernel.ts';
import { type Artefact, artefactFolder, cacheRoot, isBuilt } from './cache.ts';
import { LabError } from './lab-error.ts';

export interface LabPrograms {
  /** The kernel, an executable. */
  readonly kernel: string;
  /** Archive of the container images. */
  readonly images: string;
  /** Folders for PATH: Kubernetes, containerd, etcd. */
  readonly path: readonly string[];
  readonly etcd: string;
  readonly kubectl: string;
  readonly apiServer: string;
  readonly controllerManager: string;
  readonly scheduler: string;
}

/** All artefacts; the kernel first, because it takes longest after Kubernetes. */
export function allArtefacts(): Artefact[] {
  return [kernelArtefact(), ...goArtefacts(), imagesArtefact()];
}

/** The artefacts that `npm run lab:build` would build. */
export function missingArtefacts(root: string = cacheRoot()): Artefact[] {
  return allArtefacts().filter((artefact) => !isBuilt(root, artefact));
}

/** Where the built files are; throws LabError when one has not been built. */
export function labPrograms(root: string = cacheRoot()): LabPrograms {
  const folders = new Map<string, string>();
  for (const artefact of allArtefacts()) {
    if (!isBuilt(root, artefact)) throw new LabError(`${artefact.name} is not built`, 'npm run lab:build');
    folders.set(artefact.name, artefactFolder(root, artefact));
  }
  const at = (artefact: string, file = '') => join(folders.get(artefact) ?? '', file);
  return {
    kernel: at('kernel', 'linux'),
    images: at('images', 'images.tar'),
    path: [at('kubernetes'), at('containerd'), at('etcd')],
    etcd: at('etcd', 'etcd'),
    kubectl: at('kubernetes', 'kubectl'),
    apiServer: at('kubernetes', 'kube-apiserver'),
    controllerManager: at('kubernetes', 'kube-controller-manager'),
    scheduler: at('kubernetes', 'kube-scheduler'),
  };
}
