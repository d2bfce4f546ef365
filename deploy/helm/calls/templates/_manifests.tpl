{{/*
This chart renders the manifests of deploy/kubernetes (here: kubernetes/). These templates replace kustomize, for the fields
that these files have; tests/architecture/helm.test.ts compares the results. A dict has the objects by kind and name, as in
`Deployment/dispatcher`. The templates change them in place.
*/}}

{{/* Applies a kustomization: resources, ConfigMaps, patches and labels. Takes: objects, files (.Files), folder. */}}
{{- define "calls.kustomize" -}}
{{- $objects := .objects -}}
{{- $files := .files -}}
{{- $folder := .folder -}}
{{- $kustomization := $files.Get (printf "%s/kustomization.yaml" $folder) | fromYaml -}}
{{- range $kustomization.resources -}}
  {{- range (include "calls.documents" ($files.Get (printf "%s/%s" $folder .)) | fromYaml).documents -}}
    {{- $_ := set $objects (printf "%s/%s" .kind .metadata.name) . -}}
  {{- end -}}
{{- end -}}
{{- range $kustomization.configMapGenerator -}}
  {{- $data := dict -}}
  {{- range .literals -}}
    {{- $parts := regexSplit "=" . 2 -}}
    {{- $_ := set $data (index $parts 0) (index $parts 1) -}}
  {{- end -}}
  {{- $object := dict "apiVersion" "v1" "kind" "ConfigMap" "metadata" (dict "name" .name) "data" $data -}}
  {{- $key := printf "ConfigMap/%s" .name -}}
  {{- if hasKey $objects $key -}}
    {{- include "calls.merge" (dict "onto" (get $objects $key) "patch" $object) -}}
  {{- else -}}
    {{- $_ := set $objects $key $object -}}
  {{- end -}}
{{- end -}}
{{- range $kustomization.patches -}}
  {{- $text := .patch -}}
  {{- if .path -}}{{- $text = $files.Get (printf "%s/%s" $folder .path) -}}{{- end -}}
  {{- include "calls.patch" (dict "objects" $objects "text" $text) -}}
{{- end -}}
{{- range $kustomization.labels -}}
  {{- include "calls.label" (dict "objects" $objects "labels" .pairs) -}}
{{- end -}}
{{- end -}}

{{/* Applies strategic merge patches. Takes: objects, text (YAML documents). */}}
{{- define "calls.patch" -}}
{{- $objects := .objects -}}
{{- range (include "calls.documents" .text | fromYaml).documents -}}
  {{- $key := printf "%s/%s" .kind .metadata.name -}}
  {{- if not (hasKey $objects $key) -}}{{- fail (printf "no object %s to patch" $key) -}}{{- end -}}
  {{- if eq (toString (get . "$patch")) "delete" -}}
    {{- $_ := unset $objects $key -}}
  {{- else -}}
    {{- include "calls.merge" (dict "onto" (get $objects $key) "patch" .) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* The YAML documents of a text, as the list `documents`. */}}
{{- define "calls.documents" -}}
{{- $documents := list -}}
{{- range regexSplit "(?m)^---$" . -1 -}}
  {{- $document := fromYaml . -}}
  {{- if $document -}}{{- $documents = append $documents $document -}}{{- end -}}
{{- end -}}
{{- toYaml (dict "documents" $documents) -}}
{{- end -}}

{{/*
Merges the dict `patch` into the dict `onto`: dicts by key, and the lists below by a field of their items. Other values of the
patch replace those of `onto`, unless they are null. An environment variable is replaced as a whole, because it has either a
value or a source.
*/}}
{{- define "calls.merge" -}}
{{- $onto := .onto -}}
{{- $lists := dict "containers" "name" "initContainers" "name" "env" "name" "ports" "name" "volumes" "name" "volumeMounts" "mountPath" -}}
{{- range $field, $value := .patch -}}
  {{- $current := get $onto $field -}}
  {{- if kindIs "invalid" $value -}}
  {{- else if and (kindIs "map" $value) (kindIs "map" $current) -}}
    {{- include "calls.merge" (dict "onto" $current "patch" $value) -}}
  {{- else if and (kindIs "slice" $value) (kindIs "slice" $current) (hasKey $lists $field) -}}
    {{- $name := get $lists $field -}}
    {{- range $item := $value -}}
      {{- $merged := list -}}
      {{- $found := false -}}
      {{- range $other := $current -}}
        {{- if ne (get $other $name) (get $item $name) -}}
          {{- $merged = append $merged $other -}}
        {{- else if ne (toString (get $item "$patch")) "delete" -}}
          {{- $found = true -}}
          {{- if eq $field "env" -}}
            {{- $merged = append $merged $item -}}
          {{- else -}}
            {{- include "calls.merge" (dict "onto" $other "patch" $item) -}}
            {{- $merged = append $merged $other -}}
          {{- end -}}
        {{- end -}}
      {{- end -}}
      {{- if not (or $found (hasKey $item "$patch")) -}}{{- $merged = append $merged $item -}}{{- end -}}
      {{- $current = $merged -}}
    {{- end -}}
    {{- $_ := set $onto $field $current -}}
  {{- else -}}
    {{- $_ := set $onto $field $value -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Adds labels to every object and to its pods, if it has a template of pods. Takes: objects, labels. */}}
{{- define "calls.label" -}}
{{- $labels := .labels -}}
{{- range $object := .objects -}}
  {{- include "calls.merge" (dict "onto" $object "patch" (dict "metadata" (dict "labels" $labels))) -}}
  {{- if $object.spec -}}
    {{- with $object.spec.template -}}
      {{- include "calls.merge" (dict "onto" . "patch" (dict "metadata" (dict "labels" $labels))) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- end -}}
