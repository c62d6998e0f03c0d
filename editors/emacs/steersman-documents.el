;;; steersman-documents.el --- The buffers of a project, as the server sees them  -*- lexical-binding: t; -*-

;; Copyright (C) 2025 The Steersman authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The buffer is the truth.  Every buffer that visits a file of the project is told to the server, saved or not, and
;; what was typed goes out before anything is asked and before any edit is applied, so an edit that was made for an
;; older text is refused here and made anew there.  Nothing here ever asks the person: that would hold up the server.

;;; Code:

(require 'cl-lib)
(require 'flymake)
(require 'steersman-connection)

(defvar-local steersman-documents--connections nil "The connections that know this buffer.")
(defvar-local steersman-documents--uri nil "The URI they know it by.")
(defvar-local steersman-documents--version 0 "The version they know.")
(defvar-local steersman-documents--changes nil
  "What has changed since, the latest first.
Or the symbol `everything', where that is not known.")
(defvar-local steersman-documents--coming nil
  "The change that is about to be made: (BEG END START STOP).
The last two are LSP positions.")
(defvar-local steersman-documents--tick nil "The modification tick at the last change that was seen.")

(defvar steersman-documents--timer nil "Sends changes when the person pauses.")

(defconst steersman-documents--pause 0.3 "Seconds without input after which changes are sent.")

;;; Which buffers

(defun steersman-documents--opened (connection)
  "Tell CONNECTION of the buffers there are."
  (add-hook 'find-file-hook #'steersman-documents--visit)
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (steersman-documents--join connection))))

(defun steersman-documents--closed (connection)
  "Forget CONNECTION."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (memq connection steersman-documents--connections)
        (steersman-documents--leave connection))))
  (unless (steersman-connections)
    (remove-hook 'find-file-hook #'steersman-documents--visit)))

(defun steersman-documents--visit ()
  "Tell every connection that this concerns of the current buffer."
  (dolist (connection (steersman-connections))
    (when (steersman-connection-ready connection)
      (steersman-documents--join connection))))

(defun steersman-documents--join (connection)
  "Open the current buffer at CONNECTION, if it visits a file of its project."
  (when (and buffer-file-name
             (not (file-remote-p buffer-file-name))
             (not (memq connection steersman-documents--connections))
             (file-in-directory-p buffer-file-name (steersman-connection-root connection)))
    (if steersman-documents--connections
        (steersman-documents-flush)
      (steersman-documents--watch))
    (push connection steersman-documents--connections)
    (jsonrpc-notify connection :textDocument/didOpen
                    (list :textDocument (list :uri steersman-documents--uri
                                              :languageId (steersman-documents--language)
                                              :version steersman-documents--version
                                              :text (steersman-documents--text))))))

(defun steersman-documents--leave (connection)
  "The current buffer is CONNECTION's no more."
  (setq steersman-documents--connections (delq connection steersman-documents--connections))
  (when (jsonrpc-running-p connection)
    (jsonrpc-notify connection :textDocument/didClose (list :textDocument (list :uri steersman-documents--uri))))
  (unless steersman-documents--connections
    (steersman-documents--unwatch)))

(defun steersman-documents--leave-all ()
  "Close the current buffer at every connection."
  (mapc #'steersman-documents--leave (copy-sequence steersman-documents--connections)))

(defun steersman-documents--renamed ()
  "The current buffer visits another file now."
  (steersman-documents--leave-all)
  (steersman-documents--visit))

(defconst steersman-documents--hooks
  '((before-change-functions . steersman-documents--before-change)
    (after-change-functions . steersman-documents--after-change)
    (after-save-hook . steersman-documents--saved)
    (kill-buffer-hook . steersman-documents--leave-all)
    (change-major-mode-hook . steersman-documents--leave-all)
    (after-set-visited-file-name-hook . steersman-documents--renamed))
  "What is hooked into a buffer that the server knows.")

(defun steersman-documents--watch ()
  "Begin to follow the current buffer."
  (setq steersman-documents--uri (steersman-connection-uri buffer-file-name)
        steersman-documents--changes nil
        steersman-documents--coming nil
        steersman-documents--tick (buffer-chars-modified-tick))
  (cl-incf steersman-documents--version)
  (pcase-dolist (`(,hook . ,function) steersman-documents--hooks)
    (add-hook hook function nil t))
  (add-hook 'after-change-major-mode-hook #'steersman-documents--mode-changed))

(defun steersman-documents--unwatch ()
  "Follow the current buffer no longer."
  (pcase-dolist (`(,hook . ,function) steersman-documents--hooks)
    (remove-hook hook function t)))

(defun steersman-documents--mode-changed ()
  "Open the current buffer again after its major mode was changed."
  (when buffer-file-name
    (steersman-documents--visit)))

(defun steersman-documents--language ()
  "Return the current buffer's language under its LSP name."
  (pcase (replace-regexp-in-string "\\(?:-ts\\)?-mode\\'" "" (symbol-name major-mode))
    ((or "text" "fundamental") "plaintext")
    ("js" "javascript")
    ("c++" "cpp")
    ("sh" "shellscript")
    ("emacs-lisp" "elisp")
    ("mhtml" "html")
    (name name)))

;;; What the buffers hold

(defun steersman-documents--text (&optional beg end)
  "Return the text from BEG to END, or all of it, whatever is narrowed."
  (save-restriction
    (widen)
    (steersman-connection-text (buffer-substring-no-properties (or beg (point-min)) (or end (point-max))))))

(defun steersman-documents-position (pos)
  "Return the LSP position of POS in the current buffer."
  (save-restriction
    (widen)
    (save-excursion
      (goto-char pos)
      (list :line (1- (line-number-at-pos pos t)) :character (- pos (pos-bol))))))

(defun steersman-documents-range (beg end)
  "Return the LSP range from BEG to END."
  (list :start (steersman-documents-position beg) :end (steersman-documents-position end)))

(defun steersman-documents--point (position)
  "Return the buffer position of an LSP POSITION; the buffer is widened."
  (save-excursion
    (goto-char (point-min))
    (forward-line (plist-get position :line))
    (min (+ (point) (plist-get position :character)) (pos-eol))))

(defun steersman-documents--before-change (beg end)
  "Note that the text from BEG to END is about to change."
  (cond ((eq steersman-documents--changes 'everything))
        ((/= steersman-documents--tick (buffer-chars-modified-tick))
         (setq steersman-documents--changes 'everything)) ; something changed with no hook run
        (t (setq steersman-documents--coming
                 (list beg end (steersman-documents-position beg) (steersman-documents-position end))))))

(defun steersman-documents--after-change (beg end length)
  "Note that the text from BEG to END is new, where LENGTH characters were."
  (unless (eq steersman-documents--changes 'everything)
    (pcase steersman-documents--coming
      ((and `(,from ,to ,start ,stop) (guard (and (= from beg) (= (- to from) length))))
       (push (list :range (list :start start :end stop) :text (steersman-documents--text beg end))
             steersman-documents--changes))
      (_ (setq steersman-documents--changes 'everything)))) ; some commands announce more than they change
  (setq steersman-documents--coming nil
        steersman-documents--tick (buffer-chars-modified-tick))
  (unless (memq steersman-documents--timer timer-idle-list)
    (setq steersman-documents--timer
          (run-with-idle-timer steersman-documents--pause nil #'steersman-documents-flush-all))))

(defun steersman-documents-flush ()
  "Send what has changed in the current buffer."
  (unless (or (null steersman-documents--connections)
              (and (null steersman-documents--changes)
                   (= steersman-documents--tick (buffer-chars-modified-tick))))
    (let ((changes (if (and (listp steersman-documents--changes)
                            (= steersman-documents--tick (buffer-chars-modified-tick)))
                       (vconcat (reverse steersman-documents--changes))
                     (vector (list :text (steersman-documents--text))))))
      (setq steersman-documents--changes nil
            steersman-documents--tick (buffer-chars-modified-tick))
      (cl-incf steersman-documents--version)
      (steersman-documents--tell :textDocument/didChange
                                 (list :textDocument (list :uri steersman-documents--uri
                                                           :version steersman-documents--version)
                                       :contentChanges changes)))))

(defun steersman-documents-flush-all (&rest _)
  "Send what has changed in any buffer."
  (dolist (buffer (buffer-list))
    (when (buffer-local-value 'steersman-documents--connections buffer)
      (with-current-buffer buffer
        (steersman-documents-flush)))))

(defun steersman-documents--saved ()
  "Tell that the current buffer was saved."
  (steersman-documents-flush)
  (steersman-documents--tell :textDocument/didSave (list :textDocument (list :uri steersman-documents--uri))))

(defun steersman-documents--tell (method params)
  "Send the notification METHOD with PARAMS about the current buffer."
  (dolist (connection steersman-documents--connections)
    (jsonrpc-notify connection method params)))

(defun steersman-documents-buffer (uri)
  "Return the buffer that the server knows by URI, or nil."
  (seq-find (lambda (buffer)
              (and (buffer-local-value 'steersman-documents--connections buffer)
                   (equal uri (buffer-local-value 'steersman-documents--uri buffer))))
            (buffer-list)))

(defun steersman-documents-context (&optional beg end)
  "Return the place of the person here: a file, the text from BEG to END.
Nil where there is no file."
  (when buffer-file-name
    (let ((from (or beg (point))) (to (or end (point))))
      (append (list :uri (steersman-connection-uri buffer-file-name)
                    :selection (steersman-documents-range from to))
              (when beg
                (list :diagnostics (steersman-documents--diagnostics beg end)))))))

;;; What the server asks for

(cl-defmethod steersman-handle-request (_connection (_method (eql workspace/applyEdit)) params)
  "Apply the workspace edit in PARAMS, up to the first change that fails."
  (let ((edit (plist-get params :edit)))
    (condition-case failure
        (progn
          (mapc #'steersman-documents--apply (plist-get edit :documentChanges))
          (cl-loop for (uri edits) on (plist-get edit :changes) by #'cddr
                   do (steersman-documents--edit (substring (symbol-name uri) 1) nil edits))
          '(:applied t))
      (error (list :applied :json-false :failureReason (error-message-string failure))))))

(defun steersman-documents--apply (change)
  "Apply one CHANGE of a workspace edit: a document's edits or a file operation."
  (pcase (plist-get change :kind)
    ("create" (steersman-documents--find (steersman-connection-path (plist-get change :uri))))
    ("rename" (steersman-documents--rename (steersman-connection-path (plist-get change :oldUri))
                                           (steersman-connection-path (plist-get change :newUri))))
    ("delete" (steersman-documents--delete (steersman-connection-path (plist-get change :uri))))
    (_ (let ((document (plist-get change :textDocument)))
         (steersman-documents--edit (plist-get document :uri) (plist-get document :version)
                                    (plist-get change :edits))))))

(defun steersman-documents--rename (old new)
  "Rename the file OLD to NEW, and the buffer that visits it."
  (when (file-exists-p new)
    (error "%s is there already" new))
  (make-directory (file-name-directory new) t)
  (rename-file old new)
  (when-let* ((buffer (find-buffer-visiting old)))
    (with-current-buffer buffer
      (let ((modified (buffer-modified-p)))
        (set-visited-file-name new t t)
        (set-buffer-modified-p modified)))))

(defun steersman-documents--delete (path)
  "Delete the file PATH, and the buffer that visits it."
  (let ((buffer (find-buffer-visiting path)))
    (when (and buffer (buffer-modified-p buffer))
      (error "%s has unsaved changes" path))
    (delete-file path)
    (when buffer
      (kill-buffer buffer))))

(defun steersman-documents--find (path)
  "Return a buffer that visits PATH, without a question of Emacs's own.
The file may be the model's: of what it says of itself, only what is safe
counts."
  (let ((enable-local-variables (and enable-local-variables :safe))
        (enable-local-eval nil)
        (large-file-warning-threshold nil)
        (vc-follow-symlinks t)
        (find-file-suppress-same-file-warnings t))
    (find-file-noselect path t)))

(defun steersman-documents--edit (uri version edits)
  "Apply EDITS to the document URI, made for its VERSION (nil: for any)."
  (with-current-buffer (or (steersman-documents-buffer uri)
                           (steersman-documents--find (or (steersman-connection-path uri) (error "%s is not open" uri))))
    (steersman-documents-flush)
    (cond ((and version (/= version steersman-documents--version))
           (error "The document has changed since"))
          (buffer-read-only
           (error "The buffer is read-only"))
          ((stringp (file-locked-p buffer-file-name))
           (error "The file is being edited by %s" (file-locked-p buffer-file-name))))
    ;; The server knows of a file that changed on the disk: the edit brings that in.  Saving still asks.
    (autoload-do-load (symbol-function 'ask-user-about-supersession-threat)) ; else it would be loaded over ours
    (cl-letf (((symbol-function 'ask-user-about-supersession-threat) #'ignore))
      (steersman-documents--replace edits))
    (steersman-documents-flush)))

(defun steersman-documents--replace (edits)
  "Make EDITS in the current buffer, as one step for `undo'."
  (undo-boundary)
  (save-restriction
    (widen)
    (save-excursion
      (atomic-change-group
        (dolist (edit (steersman-documents--from-the-end edits))
          (pcase-let ((`(,beg ,end ,_ ,text) edit))
            (goto-char beg)
            (delete-region beg end)
            (insert text))))))
  (undo-boundary))

(defun steersman-documents--from-the-end (edits)
  "Return EDITS as (BEG END INDEX TEXT), the last in the buffer first."
  (sort (seq-map-indexed
         (lambda (edit index)
           (let ((range (plist-get edit :range)))
             (list (steersman-documents--point (plist-get range :start))
                   (steersman-documents--point (plist-get range :end))
                   index
                   (plist-get edit :newText))))
         edits)
        (lambda (one other)
          (if (= (car one) (car other))
              (> (nth 2 one) (nth 2 other))
            (> (car one) (car other))))))

(cl-defmethod steersman-handle-request (_connection (_method (eql steersman/saveDocuments)) params)
  "Save the documents in PARAMS that can be saved without asking; name them."
  (list :saved (vconcat (seq-filter #'steersman-documents--save (plist-get params :uris)))))

(defun steersman-documents--save (uri)
  "Save the document URI; return whether that was done."
  (when-let* ((buffer (steersman-documents-buffer uri)))
    (with-current-buffer buffer
      (and (or (verify-visited-file-modtime) (not (file-exists-p buffer-file-name)))
           (not (unencodable-char-position (point-min) (point-max)
                                           (or buffer-file-coding-system 'utf-8)))
           (let ((require-final-newline nil) ; nothing but the edit is to change
                 (inhibit-message t))
             (ignore-errors (save-buffer 0))
             (not (buffer-modified-p)))))))

(cl-defmethod steersman-handle-request (_connection (_method (eql steersman/diagnostics)) params)
  "Answer with what Flymake knows of the documents in PARAMS, or of all."
  (let ((uris (append (plist-get params :uris) nil)))
    (list :items
          (vconcat
           (cl-loop for buffer in (buffer-list)
                    for uri = (buffer-local-value 'steersman-documents--uri buffer)
                    when (and (buffer-local-value 'steersman-documents--connections buffer)
                              (or (null uris) (member uri uris)))
                    collect (with-current-buffer buffer
                              (list :uri uri :diagnostics (steersman-documents--diagnostics))))))))

(defun steersman-documents--diagnostics (&optional beg end)
  "Return Flymake's diagnostics of the current buffer, from BEG to END."
  (vconcat
   (when (bound-and-true-p flymake-mode)
     (mapcar (lambda (diagnostic)
               (list :range (steersman-documents-range (flymake-diagnostic-beg diagnostic)
                                                       (flymake-diagnostic-end diagnostic))
                     :severity (steersman-documents--severity (flymake-diagnostic-type diagnostic))
                     :message (steersman-connection-text (flymake-diagnostic-text diagnostic))))
             (flymake-diagnostics beg end)))))

(defun steersman-documents--severity (type)
  "Return the LSP severity of a Flymake diagnostic TYPE."
  (pcase (symbol-name type) ; such as :error, `flymake-error' or `eglot-error'
    ((rx "error") 1)
    ((rx "warning") 2)
    (_ 3)))

(add-hook 'steersman-connection-opened-functions #'steersman-documents--opened)
(add-hook 'steersman-connection-closed-functions #'steersman-documents--closed)
(add-hook 'steersman-connection-before-call-functions #'steersman-documents-flush-all)

(provide 'steersman-documents)

;;; steersman-documents.el ends here
