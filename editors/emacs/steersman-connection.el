;;; steersman-connection.el --- The connection to a Steersman server  -*- lexical-binding: t; -*-

;; Copyright (C) 2025 The Steersman authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; One server a project, beside whatever Eglot runs: a buffer's language server and Steersman never meet.  Built on
;; jsonrpc.el.  Nothing here waits: whatever takes time calls a function when it is done.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'project)
(require 'url-util)

(defgroup steersman nil
  "A coding agent that lives in a language server."
  :group 'tools
  :prefix "steersman-")

;; A project must not choose programs or settings, so these are read with `default-value' and are risky.

(defcustom steersman-command '("steersman" "lsp")
  "The program that is the server, and its arguments.
Values that a project sets, in .dir-locals.el for instance, have no effect."
  :type '(repeat string)
  :risky t)

(defcustom steersman-options nil
  "What the server is told at its start, as a plist.
For instance (:model \"anthropic/…\" :mode \"accept-edits\").  See
\"What an editor may pass\" in the project's page on configuration.
Values that a project sets, in .dir-locals.el for instance, have no effect."
  :type 'plist
  :risky t)

(defvar steersman-connection-opened-functions nil
  "Functions called with a connection that is ready.")

(defvar steersman-connection-closed-functions nil
  "Functions called with a connection that has ended.")

(defvar steersman-connection-before-call-functions nil
  "Functions called with a connection before each of its commands is sent.")

(defclass steersman-connection (jsonrpc-process-connection)
  ((root :initarg :root :accessor steersman-connection-root
         :documentation "The project's folder, absolute, with a slash at its end.")
   (ready :initform nil :accessor steersman-connection-ready
          :documentation "Whether the server has answered `initialize'.")
   (waiting :initform nil :accessor steersman-connection--waiting
            :documentation "Functions to call when it has, the latest first.")
   (questions :initform nil :accessor steersman-connection--questions
              :documentation "Alist from the ids of unanswered requests to functions that withdraw them."))
  :documentation "A connection to a server for one project.")

(cl-defstruct (steersman-later (:constructor steersman-later (start)))
  "What a handler returns for a request that is answered later.
START is called with a function that takes the answer; it returns a
function of no arguments that is called when the request is withdrawn."
  start)

(cl-defgeneric steersman-handle-request (_connection method _params)
  "Answer the request METHOD; return its result or a `steersman-later'."
  (jsonrpc-error :code -32601 :message (format "no method %s here" method)))

(cl-defgeneric steersman-handle-notification (_connection _method _params)
  "Take note of a notification; those that nobody knows are passed over."
  nil)

(defconst steersman-connection--capabilities
  '( :general (:positionEncodings ["utf-32"]) ; a character of Emacs is a code point
     :workspace ( :applyEdit t
                  :workspaceFolders t
                  :workspaceEdit ( :documentChanges t
                                   :resourceOperations ["create" "rename" "delete"]
                                   :failureHandling "abort"))
     :textDocument (:synchronization (:didSave t))
     :window (:workDoneProgress t))
  "What this client can do.")

(defvar steersman-connection--all nil "The running connections.")

(defun steersman-connections ()
  "Return the connections that are running."
  (setq steersman-connection--all (seq-filter #'jsonrpc-running-p steersman-connection--all)))

(defun steersman-connection-root-here ()
  "Return the folder of a task that is started here."
  (when (file-remote-p default-directory)
    (user-error "Steersman works on local files only"))
  (let ((project (project-current)))
    (file-name-as-directory (expand-file-name (if project (project-root project) default-directory)))))

(defun steersman-connection-here (&optional make)
  "Return the connection for this folder's project, or nil.
With MAKE, start one when there is none."
  (let ((root (steersman-connection-root-here)))
    (or (seq-find (lambda (connection) (equal (steersman-connection-root connection) root)) (steersman-connections))
        (and make (steersman-connection--open root)))))

(defun steersman-connection-call (connection command arguments done &optional failed)
  "Have CONNECTION's server run COMMAND with the plist ARGUMENTS.
DONE is called with the result; FAILED with a message for the person
and the kind of failure, or nil (default: the message is shown)."
  (steersman-connection--when-ready
   connection
   (lambda ()
     (steersman-connection-run-hook 'steersman-connection-before-call-functions connection)
     (jsonrpc-async-request
      connection :workspace/executeCommand
      (list :command command :arguments (vector (or arguments (make-hash-table))))
      :success-fn done
      :error-fn (lambda (error)
                  (funcall (or failed #'steersman-connection-report)
                           (steersman-connection--words error)
                           (plist-get (plist-get error :data) :kind)))
      :timeout nil))))

(defun steersman-connection-report (text &optional _kind)
  "Show the person TEXT: what went wrong."
  (message "Steersman: %s" text))

(defun steersman-connection-close (connection)
  "Ask CONNECTION's server to leave."
  (if (steersman-connection-ready connection)
      (jsonrpc-async-request connection :shutdown nil
                             :success-fn (lambda (_) (jsonrpc-notify connection :exit nil))
                             :error-fn #'ignore :timeout nil)
    (delete-process (jsonrpc--process connection))))

(defun steersman-connection-text (text)
  "Return TEXT with every character that JSON cannot hold as U+FFFD."
  (replace-regexp-in-string "[^\0-\ud7ff\ue000-\U0010ffff]" "\ufffd" text t t))

(defconst steersman-connection--hidden
  (rx (any (#x0 . #x8) (#xb . #xc) (#xe . #x1f) (#x7f . #x9f) #xad #x34f (#x600 . #x605) #x61c (#x115f . #x1160)
           (#x17b4 . #x17b5) (#x180b . #x180f) (#x200b . #x200f) (#x2028 . #x202e) (#x2060 . #x206f) #x2800 #x3164
           (#xd800 . #xf8ff) (#xfe00 . #xfe0f) #xfeff #xffa0 (#xfff0 . #xfffb) (#xe0000 . #x10ffff)))
  "What a screen does not show, or what reorders the text around it.")

(defun steersman-connection-visible (text)
  "Return TEXT with what cannot be seen written out, such as ⟨U+202E⟩.
Line ends and tabs stay."
  (replace-regexp-in-string steersman-connection--hidden
                            (lambda (char) (format "⟨U+%04X⟩" (aref char 0)))
                            (or text "") t t))

(defun steersman-connection-title (text)
  "Return TEXT on one line, with nothing hidden in it."
  (replace-regexp-in-string "\r\n?\\|\n" "⏎" (steersman-connection-visible text) t t))

(defmacro steersman-connection-safely (&rest body)
  "Run BODY, in which there may be what others have hooked in.
A failure there is told, and keeps nobody from what comes after."
  (declare (indent 0) (debug t))
  `(with-demoted-errors "Steersman: %S" ,@body))

(defun steersman-connection-run-hook (hook &rest arguments)
  "Call each function of HOOK with ARGUMENTS, whatever the others do."
  (run-hook-wrapped hook (lambda (function)
                           (steersman-connection-safely (apply function arguments))
                           nil)))

(defun steersman-connection-uri (path)
  "Return the file URI of PATH."
  (let ((full (expand-file-name path)))
    (concat "file://"
            (if (string-prefix-p "/" full) "" "/")
            (url-hexify-string full (cons ?/ url-unreserved-chars)))))

(defun steersman-connection-path (uri)
  "Return the path of a file URI, or nil for any other."
  (when (string-prefix-p "file://" uri)
    (let ((path (decode-coding-string (url-unhex-string (substring uri 7) t) 'utf-8)))
      (if (string-match-p "\\`/[A-Za-z]:/" path) (substring path 1) path))))

(defun steersman-connection--words (error)
  "Return the words of a JSON-RPC ERROR, for a person."
  (let ((hint (plist-get (plist-get error :data) :hint)))
    (concat (plist-get error :message) (and (stringp hint) (concat " " hint)))))

(defun steersman-connection--when-ready (connection function)
  "Call FUNCTION when CONNECTION is ready: now, or after `initialize'."
  (if (steersman-connection-ready connection)
      (funcall function)
    (push function (steersman-connection--waiting connection))))

(defun steersman-connection--open (root)
  "Start a server for the folder ROOT and return its connection."
  (let* ((command (default-value 'steersman-command))
         (program (or (executable-find (car command))
                      (user-error "There is no program %s; see `steersman-command'" (car command))))
         (name (generate-new-buffer-name (format "steersman %s" (file-name-nondirectory (directory-file-name root)))))
         (connection
          (make-instance
           'steersman-connection
           :name name
           :root root
           :process (lambda () (steersman-connection--start name (cons program (cdr command))))
           :request-dispatcher #'steersman-handle-request
           :notification-dispatcher #'steersman-handle-notification
           :on-shutdown #'steersman-connection--closed)))
    (steersman-connection--keep-no-log connection)
    (push connection steersman-connection--all)
    (condition-case failure
        (steersman-connection--initialize connection)
      (error (steersman-connection--give-up connection) ; such as options that are no plist
             (user-error "Steersman did not start: %s" (error-message-string failure))))
    connection))

(defun steersman-connection--give-up (connection)
  "Forget CONNECTION, whose server will never be ready.
The next task gets another."
  (setq steersman-connection--all (delq connection steersman-connection--all))
  (setf (steersman-connection--waiting connection) nil)
  (when (jsonrpc-running-p connection)
    (delete-process (jsonrpc--process connection))))

(defun steersman-connection--start (name command)
  "Start COMMAND as the process NAME, in the home folder.
Not in the project's: no program may be found there by accident."
  (let ((default-directory (file-name-as-directory (expand-file-name "~"))))
    (make-process :name name
                  :command command
                  :connection-type 'pipe
                  :coding 'utf-8-emacs-unix
                  :noquery t
                  :stderr (get-buffer-create (format "*%s stderr*" name)))))

(defun steersman-connection--keep-no-log (connection)
  "Keep jsonrpc.el from logging all of CONNECTION: texts are long."
  (let ((slot (if (slot-exists-p connection '-events-buffer-config)
                  '(-events-buffer-config . (:size 0))
                '(-events-buffer-scrollback-size . 0))))
    (eieio-oset connection (car slot) (cdr slot))))

(defun steersman-connection--initialize (connection)
  "Greet CONNECTION's server."
  (let* ((root (steersman-connection-root connection))
         (uri (steersman-connection-uri (directory-file-name root))))
    (jsonrpc-async-request
     connection :initialize
     (list :processId (emacs-pid)
           :clientInfo (list :name "steersman.el" :version emacs-version)
           :rootUri uri
           :workspaceFolders (vector (list :uri uri :name (file-name-nondirectory (directory-file-name root))))
           :capabilities steersman-connection--capabilities
           :initializationOptions
           (append '(:client (:events t :approvals t :saveDocuments t :diagnostics t))
                   (default-value 'steersman-options)))
     :success-fn (lambda (_) (steersman-connection--opened connection))
     :error-fn (lambda (error)
                 (message "Steersman did not start: %s" (steersman-connection--words error))
                 (steersman-connection--give-up connection))
     :timeout nil)))

(defun steersman-connection--opened (connection)
  "CONNECTION's server is there: tell everybody who waits."
  (jsonrpc-notify connection :initialized (make-hash-table))
  (setf (steersman-connection-ready connection) t)
  (steersman-connection-run-hook 'steersman-connection-opened-functions connection)
  (let ((waiting (nreverse (steersman-connection--waiting connection))))
    (setf (steersman-connection--waiting connection) nil)
    (dolist (function waiting)
      (steersman-connection-safely (funcall function)))))

(defun steersman-connection--closed (connection)
  "CONNECTION has ended: forget it."
  (setq steersman-connection--all (delq connection steersman-connection--all))
  (pcase-dolist (`(,_ . ,withdraw) (steersman-connection--questions connection))
    (steersman-connection-safely (funcall withdraw)))
  (steersman-connection-run-hook 'steersman-connection-closed-functions connection))

(cl-defmethod jsonrpc-connection-send :around ((connection steersman-connection)
                                               &rest args &key id result &allow-other-keys)
  "Send ARGS over CONNECTION, unless the RESULT of request ID comes later."
  (if (steersman-later-p result)
      (steersman-connection--answer-later connection id result)
    (apply #'cl-call-next-method connection args)))

(defun steersman-connection--answer-later (connection id later)
  "Answer CONNECTION's request ID by what comes of LATER."
  (let* ((answer (lambda (&rest reply)
                   (when (assoc id (steersman-connection--questions connection))
                     (setf (alist-get id (steersman-connection--questions connection) nil t #'equal) nil)
                     (when (jsonrpc-running-p connection)
                       (apply #'jsonrpc-connection-send connection :id id reply)))))
         (withdraw #'ignore))
    (push (cons id (lambda ()
                     (funcall answer :error '(:code -32800 :message "withdrawn"))
                     (funcall withdraw)))
          (steersman-connection--questions connection))
    (setq withdraw (funcall (steersman-later-start later) (lambda (result) (funcall answer :result result))))))

(cl-defmethod steersman-handle-notification (connection (_method (eql $/cancelRequest)) params)
  "Withdraw the request of CONNECTION that PARAMS name."
  (when-let* ((withdraw (alist-get (plist-get params :id) (steersman-connection--questions connection)
                                   nil nil #'equal)))
    (funcall withdraw)))

(provide 'steersman-connection)

;;; steersman-connection.el ends here
