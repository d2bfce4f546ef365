{{/*
The manifests of this chart are those of deploy/kubernetes (here: kubernetes/). These templates do what kustomize does with
them, for the fields that our files have; tests/architecture/helm.test.ts compares the results. Objects are kept in a dict by
kind and name, and changed in place.
*/}}

{{/* Adds a kustomization's resources, values of ConfigMaps, patches and labels. Takes: objects, files (.Files), folder. */}}
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
  {{- if not (hasKey $objects $key) -}}{{- fail (printf "a patch of %s, which is not there" $key) -}}{{- end -}}
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
Merges the dict `patch` into the dict `onto`: dicts by key, some lists by an item's name; all else is replaced, but not by
nothing. A variable is replaced whole: it has a value or a source.
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
      {{- $kept := list -}}
      {{- $found := false -}}
      {{- range $other := $current -}}
        {{- if ne (get $other $name) (get $item $name) -}}
          {{- $kept = append $kept $other -}}
        {{- else if ne (toString (get $item "$patch")) "delete" -}}
          {{- $found = true -}}
          {{- if eq $field "env" -}}
            {{- $kept = append $kept $item -}}
          {{- else -}}
            {{- include "calls.merge" (dict "onto" $other "patch" $item) -}}
            {{- $kept = append $kept $other -}}
          {{- end -}}
        {{- end -}}
      {{- end -}}
      {{- if not (or $found (hasKey $item "$patch")) -}}{{- $kept = append $kept $item -}}{{- end -}}
      {{- $current = $kept -}}
    {{- end -}}
    {{- $_ := set $onto $field $current -}}
  {{- else -}}
    {{- $_ := set $onto $field $value -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Sets labels of every object, and of pods where there are some. Takes: objects, labels. */}}
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
